"""Benchmarks: what this program costs, beside what it cost when `figures.json` was last written.

    python -m tests.bench [NAME...] [--json FILE] [--renew]

Not part of the test run. Absolute times mean little on another machine, or on this one tomorrow:
compare ratios of figures that one machine printed on one day. `--renew` writes the medians of this
run to `figures.json`, for the benchmarks that were named; the machine should do nothing else then.
"""
