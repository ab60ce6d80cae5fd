"""Measure the agent's checks with scripted models, which know the solution and have one fault each.

python -m tests.evaluation --model perfect --model offset [options of `eval`]
python -m tests.evaluation --ablation [--repeat N] [--seed N] [--json FILE]
"""

from __future__ import annotations

import argparse
import os
import sys

from cua.cli import evaluate, evaluate_output
from cua.cli.event_output import write_json
from cua.cli.output import run_job, say
from cua.evaluation.report import summarize

from . import ablation
from .faults import FAULTS
from .scripted_agents import LINES, scripted

CORES = os.cpu_count() or 1


def main() -> int:
    parser = evaluate.create_parser()
    parser.prog = "python -m tests.evaluation"
    parser.epilog = f"Models: {', '.join(FAULTS)}."
    parser.add_argument("--ablation", action="store_true", help="measure what each check is worth")
    parser.set_defaults(model=[], jobs=CORES)
    options = parser.parse_args()
    if unknown := sorted({*options.model} - {*FAULTS}):
        parser.error(f"no scripted model is called {', '.join(unknown)}")
    if options.ablation:
        run_job(_ablate(options))
        return 0
    options.model = options.model or ["perfect"]
    return evaluate.evaluate(options, lambda name: scripted(name, options.dialect or LINES))


async def _ablate(options: argparse.Namespace) -> None:
    todo = ablation.todo(options.seed, options.repeat)
    results = await evaluate_output.run_and_print(todo, options.jobs)
    found = ablation.outcomes(results)
    best = ablation.perfect(results)
    say(f"\n{len(results)} runs; without a fault {best}\n\n{ablation.in_words(found)}")
    if options.json:
        settings = [each.as_json() for each in found]
        runs = [summarize(each) for each in results]
        write_json(options.json, {"settings": settings, "runs": runs})


if __name__ == "__main__":
    sys.exit(main())
