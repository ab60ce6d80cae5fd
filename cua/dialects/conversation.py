"""Build the messages of a request, for all families.

Each request extends the previous one byte for byte, for servers that cache prefixes. Dropping
screenshots changes the middle, so several are dropped at a time. Which steps a task still has is
decided in `cua/agent/history_pruning.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

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
    """The prompt, then per step a user turn with feedback and screenshot, and the reply.

    The first turn contains the goal. Of the `task.omitted_steps` steps, and of those before them,
    only the model's notes and the person's texts are kept. At most the `keep` newest screenshots
    are sent, the others leave a placeholder. `around`: the family's texts around the first
    screenshot and around the others. `sizes`: the model counts in pixels, so a changed size is
    mentioned; the prompt contains that of the first screenshot.
    """
    size = task.dropped.size or _size(task.steps[0])
    filled = prompt.replace("{width}", str(size[0])).replace("{height}", str(size[1]))
    turns = [ChatMessage("system", (filled,))]
    screenshots = _Screenshots(task, keep)
    gone = task.omitted_steps
    for index, step in enumerate(task.steps[gone:], gone):
        words: list[str | Frame] = [step.feedback]
        if index == gone:
            goal = (task.goal, *label_references(task.references))
            words = [*goal, *_summarize_dropped(task), step.feedback]
        if sizes and size != _size(step):
            size = _size(step)
            words.append(RESIZED.format(*size))
        before, after = around[1 if index > gone else 0]
        parts = (
            *words,
            *label_references(step.references),
            before,
            *screenshots.parts(step),
            after,
        )
        turns.append(ChatMessage("user", tuple(part for part in parts if part)))
        if step.reply is not None:
            turns.append(ChatMessage("assistant", _format_reply(step, format_reply)))
    return turns


def _size(step: Step) -> tuple[int, int]:
    return step.frame.width, step.frame.height


def _format_reply(step: Step, format_reply: FormatReply) -> tuple[str | ToolCall, ...]:
    """Formatted once: a request has to begin with the same bytes as the one before."""
    if step.reply_parts is None or step.reply_parts[0] != format_reply:
        step.reply_parts = format_reply, format_reply(step)
    return step.reply_parts[1]


class _Screenshots:
    """The screenshots of each step in turn; dropped ones are replaced."""

    def __init__(self, task: Task, keep: int) -> None:
        seen = task.dropped.screenshots + _count(task.steps[: task.omitted_steps])
        count = seen + _count(task.steps[task.omitted_steps :])
        self._drop = count - count_sent(count, keep) - seen

    def parts(self, step: Step) -> list[str | Frame]:
        if step.zoomed is None or step.zoomed.area is None:
            return [self._next(step.frame)]
        area = step.zoomed.area
        edges = (area.left, area.right, area.top, area.bottom)
        words = ZOOMED.format(*(f"{edge:.0%}" for edge in edges))
        return [self._next(step.frame), words, self._next(step.zoomed)]

    def _next(self, frame: Frame) -> str | Frame:
        self._drop -= 1
        return frame if self._drop < 0 and frame.jpeg else PLACEHOLDER


def _count(steps: Sequence[Step]) -> int:
    return sum(step.screenshots for step in steps)


def label_references(references: Iterable[Frame]) -> list[str | Frame]:
    return [part for each in references for part in (REFERENCE.format(each.name), each)]


def _summarize_dropped(task: Task) -> list[str | Frame]:
    """What is kept of dropped steps."""
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
    """How many of `count` screenshots are sent: at most `keep`, and about half after a drop."""
    if count <= keep:
        return count
    chunk = keep // 2 + 1
    drops = -(-(count - keep) // chunk)
    return count - drops * chunk
