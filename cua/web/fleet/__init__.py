"""The page of a fleet: a grid of all computers, and the page of each under its own path.

member.py        one computer: its machine, and the data of its tile
fleet.py         all computers as one service: one supervision, one stop
routes.py        the grid's API;  application.py: paths -> applications of the computers
"""
