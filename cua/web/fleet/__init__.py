"""The page of a fleet: a grid of all computers, and the page of each under its own path.

member.py        one computer: its machine, and what its tile shows
fleet.py         all computers as one service: one supervision, one stop
routes.py        the grid's API;  application.py: which path belongs to which computer
"""
