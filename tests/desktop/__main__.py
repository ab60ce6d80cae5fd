"""`python -m tests.desktop`: the bench on the real desktop; options as those of `eval`."""

from __future__ import annotations

import sys

from cua import app, watching
from cua.evaluation import cli

from .desk import WORLD
from .exercises import EXERCISES
from .programs import missing

if __name__ == "__main__":
    if missing():
        sys.exit(f"Install first: {', '.join(missing())}")
    sys.exit(cli.main(sys.argv[1:], app.pilot, WORLD, EXERCISES, show=watching.show))
