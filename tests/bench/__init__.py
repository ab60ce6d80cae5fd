"""Benchmarks: what this program costs, next to the KVM vendor's way of doing the same.

    python -m tests.bench [NAME...] [--json FILE]

No part of the test run. Absolute times mean little on another machine, or on this one tomorrow, so
every file measures ours and, in the same go, a few lines that do the thing as the vendor's own
assistant does it; the ratio is what holds. Needs `pip install '.[test,bench]'`.
"""
