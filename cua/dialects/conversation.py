"""Build the messages of a request, for all families.

Each request extends the previous one byte for byte, for servers that cache prefixes. Dropping
screenshots changes the middle, so several are dropped at a time. `cua/agent/history_pruning.py`
drops steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat

from ..types import PERSON_PREFIX, ChatMessage, Frame, Step, Task, ToolCall

RESIZED = "From now on the screenshots are {} x {} pixels."
DROPPED_STEPS = "({} earlier steps are left out here.)"
NOTED = "What you noted in them:"
ZOOMED = (
    "The part that you wanted to see, enlarged: from {} to {} of the screen's width and from {} to "
    "{} of its height. Coordinates still mean the whole screen."
)
REFERENCE = 'An image that the person attached for reference, "{}"; it is not the screen:'
FormatReply = Callable[[Step], tuple[str | ToolCall, ...]]
PLACEHOLDER = "(earlier screenshot, no longer shown)"


def build_messages(
    prompt: str,
    task: Task,
    keep: int,
    format_reply: FormatReply,
    around: tuple[tuple[str, str], tuple[str, str]],
    sizes: bool,
) -> list[ChatMessage]:
    """Return the prompt, then per step a user turn with feedback and screenshot, and the reply.

    The first turn contains the goal. Of dropped steps and the first `task.omitted_steps` it has
    only the model's notes and the person's texts. At most the `keep` newest screenshots are sent,
    placeholders replace the others. `around`: the family's texts around the first screenshot and
    around the others. `sizes`: the model counts in pixels, so a changed size is mentioned; the
    prompt contains that of the first screenshot.
    """
    size = task.dropped.size or task.steps[0].frame.size
    filled = prompt.replace("{width}", str(size[0])).replace("{height}", str(size[1]))
    turns = [ChatMessage("system", (filled,))]
    gone = task.omitted_steps
    are_sent = _choose_screenshots(task, keep)
    for index, step in enumerate(task.steps[gone:], gone):
        words: list[str | Frame] = [step.feedback]
        if index == gone:
            goal = (task.goal, *label_references(task.references))
            words = [*goal, *_summarize_dropped(task), step.feedback]
        if sizes and size != step.frame.size:
            size = step.frame.size
            words.append(RESIZED.format(*size))
        before, after = around[1 if index > gone else 0]
        words += [*label_references(step.references), before, *_screenshots(step, are_sent), after]
        turns.append(ChatMessage("user", tuple(part for part in words if part)))
        if step.reply is not None:
            turns.append(ChatMessage("assistant", format_reply(step)))
    return turns


def _choose_screenshots(task: Task, keep: int) -> Iterator[bool]:
    """Yield for each screenshot whether it is sent."""
    seen = task.dropped.screenshots + _count(task.steps[: task.omitted_steps])
    count = seen + _count(task.steps[task.omitted_steps :])
    return chain(repeat(False, count - count_sent(count, keep) - seen), repeat(True))


def _screenshots(step: Step, are_sent: Iterator[bool]) -> list[str | Frame]:
    frames = filter(None, (step.frame, step.zoomed))
    parts = [each if next(are_sent) and each.jpeg else PLACEHOLDER for each in frames]
    if step.zoomed and (area := step.zoomed.area):
        edges = (area.left, area.right, area.top, area.bottom)
        parts.insert(1, ZOOMED.format(*(f"{edge:.0%}" for edge in edges)))
    return parts


def _count(steps: Sequence[Step]) -> int:
    return sum(step.screenshots for step in steps)


def label_references(references: Iterable[Frame]) -> list[str | Frame]:
    return [part for each in references for part in (REFERENCE.format(each.name), each)]


def _summarize_dropped(task: Task) -> list[str | Frame]:
    """Return the parts of dropped steps that requests still contain."""
    dropped, steps = task.dropped, task.steps[: task.omitted_steps]
    count = dropped.steps + len(steps)
    if not count:
        return []
    words: list[str | Frame] = [DROPPED_STEPS.format(count)]
    later = [note for step in steps for note in step.notes]
    notes = dict.fromkeys([*dropped.notes, *later])
    if notes:
        words.append("\n".join((NOTED, *(f"- {note}" for note in notes))))
    later_said = (words for step in steps for words in step.user_words)
    said = [PERSON_PREFIX + words for words in (*dropped.said, *later_said)]
    omitted = (each for step in steps for each in step.references)
    return [*words, *said, *label_references([*dropped.references, *omitted])]


def count_sent(count: int, keep: int) -> int:
    """Return how many of `count` screenshots to send: at most `keep`, about half after a drop."""
    if count <= keep:
        return count
    chunk = keep // 2 + 1
    drops = -(-(count - keep) // chunk)
    return count - drops * chunk
