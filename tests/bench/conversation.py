"""What a server with a prefix cache has to compute anew over a 20-round task.

    python -m tests.bench.conversation [--rounds 20]

Per dialect and number of screenshots kept: images and tokens per request, the share of all prompt
tokens that a cache of 16-token blocks would reuse, and beside it the limit: what a policy that only
ever appends would reuse. Tokens are estimated: 3.6 characters each, one per 32 x 32 pixels of a
screenshot.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cua.dialects import prompting, registry
from cua.types import ChatMessage, Frame, Reply, Step, Task

CHARACTERS = 3.6
BLOCK = 16
SIZE = (1280, 720)
GOAL = "Open the network settings and set the DNS server to 8.8.8.8, then check that it is saved."
# As long as replies of computer-use models are in published runs: 107 tokens in the median.
REPLY = (
    "# The settings window is open. Its left column lists the adapters, Ethernet is selected, and "
    "the right part shows the addresses of that adapter as they are now.\n"
    "# The DNS server is still assigned automatically, so it has to be edited. I will select entry "
    "{n:02d} of the list first, and then use the button below the addresses to change what is "
    "shown there.\nmouse 0.4{n:02d} 0.3{n:02d} 1"
)


class Cost(NamedTuple):
    images: int
    tokens: int
    reused: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    print("| dialect | keep | images | tokens per request | all | fresh | reused | limit |")
    print("|---|---|---|---|---|---|---|---|")
    for name, *_ in registry.names():
        for keep in (1, 3, 5, 10):
            print(_row(name, keep, list(costs(_ours(name, rounds, keep)))))


def costs(requests: Sequence[Sequence[ChatMessage]]) -> Iterator[Cost]:
    """Of each request, given that all before it are in the cache."""
    cached: set[int] = set()
    for request in requests:
        tokens = list(_tokens(request))
        chain, blocks = 0, []
        for at in range(0, len(tokens) - BLOCK + 1, BLOCK):
            chain = hash((chain, *tokens[at : at + BLOCK]))
            blocks.append(chain)
        reused = next((n for n, block in enumerate(blocks) if block not in cached), len(blocks))
        cached.update(blocks)
        images = sum(isinstance(part, Frame) for turn in request for part in turn.parts)
        yield Cost(images, len(tokens), reused * BLOCK)


def steps(rounds: int) -> list[Step]:
    made = []
    for n in range(1, rounds + 1):
        frame = Frame(b"%d" % n, *SIZE, n, 0.0)
        made.append(Step(n, "Carried out." if n > 1 else "", frame, Reply(REPLY.format(n=n))))
    return made


def _ours(name: str, rounds: int, keep: int) -> list[list[ChatMessage]]:
    dialect, prompt = registry.create(name), prompting.default_prompt(name)
    history = steps(rounds)
    requests = []
    for n in range(1, rounds + 1):
        now = history[n - 1]
        unanswered = Step(now.number, now.feedback, now.frame)
        requests.append(dialect.messages(prompt, Task(GOAL, [*history[: n - 1], unanswered]), keep))
    return requests


def _tokens(request: Sequence[ChatMessage]) -> Iterator[int]:
    for turn in request:
        yield hash(turn.role)
        for part in turn.parts:
            if isinstance(part, Frame):
                count = -(-part.width // 32) * (part.height // 32)
                yield from (hash((part.jpeg, n)) for n in range(count))
            else:
                pieces = round(len(str(part)) / CHARACTERS) or 1
                yield from (hash((str(part), n)) for n in range(pieces))


def _row(name: str, keep: int, found: list[Cost]) -> str:
    total = sum(cost.tokens for cost in found)
    reused = sum(cost.reused for cost in found)
    images, sizes = [c.images for c in found], [c.tokens for c in found]
    limit = 1 - max(sizes) / total
    return (
        f"| {name} | {keep} | {min(images)}..{max(images)} | {min(sizes)}..{max(sizes)} "
        f"| {total} | {total - reused} | {reused / total:.0%} | {limit:.0%} |"
    )


if __name__ == "__main__":
    main()
