"""The tests that are to notice the faults planted in a file, by the longest beginning of its path.

Not all tests of that file: the tests of the whole service and of the page, which take long, are
left out.
"""

from __future__ import annotations

WAKE = "tests/agent/checks/test_wake.py"
UNASKED = "test_who_is_to_be_asked_before_everything_is_not_woken_for_unasked"
"""It needs the whole service."""
MEMORY = "tests/agent/test_session.py::test_a_long_task_takes_constant_memory"
SESSION = f"tests/agent/test_session.py --deselect={MEMORY}"

COVERING = {
    "cua/agent/loop.py": "tests/agent/test_session.py tests/safety/test_approval.py "
    "tests/agent/checks/test_stale_screen.py "
    "tests/agent/checks/test_stable_screenshot.py "
    "tests/agent/test_feedback.py tests/agent/test_budget.py "
    "tests/agent/checks/test_completion.py tests/agent/checks/test_loop_detection.py",
    "cua/safety/approval.py": f"tests/safety/test_approval.py "
    f"tests/safety/rules/test_target_text.py tests/agent/test_paste.py {SESSION}",
    "cua/agent/checks/": f"tests/agent/checks --ignore={WAKE} {SESSION}",
    "cua/agent/checks/stable_screenshot.py": "tests/agent/checks/test_stable_screenshot.py "
    "tests/agent/checks/test_completion.py",
    "cua/agent/checks/changed_target.py": "tests/agent/checks/test_stale_screen.py",
    "cua/agent/budget.py": f"tests/agent/test_budget.py {SESSION}",
    "cua/agent/checks/image_diff.py": "tests/agent/checks/test_screen_changes.py "
    "tests/agent/checks/test_stale_screen.py",
    "cua/agent/checks/screen_changes.py": "tests/agent/checks/test_screen_changes.py",
    "cua/agent/checks/stale_screen.py": "tests/agent/checks/test_stale_screen.py",
    "cua/agent/checks/completion.py": "tests/agent/checks/test_completion.py",
    "cua/agent/history_pruning.py": "tests/agent/test_history_pruning.py",
    "cua/agent/checks/verifier.py": "tests/agent/checks/test_completion.py",
    "cua/agent/checks/zooming.py": SESSION,
    "cua/agent/checks/pointer_check.py": "tests/agent/checks/test_pointer_check.py",
    "cua/agent/checks/loop_detection.py": "tests/agent/checks/test_loop_detection.py",
    "cua/agent/feedback.py": f"tests/agent/test_feedback.py "
    f"tests/agent/checks/test_loop_detection.py {SESSION}",
    "cua/agent/checks/step_screenshot.py": f"{WAKE} --deselect={WAKE}::{UNASKED} "
    "tests/agent/checks/test_stable_screenshot.py",
    "cua/web/session_ownership.py": "tests/web/test_session_ownership.py",
    "cua/hid/inputs.py": "tests/hid/test_inputs.py tests/hid/test_restore.py "
    "tests/agent/test_pointer_hold.py tests/hid/test_host_pauses.py",
    "cua/hid/gadget.py": "tests/hid/test_gadget.py tests/hid/test_leds.py "
    "tests/hid/test_host_pauses.py",
    "cua/hid/keymap.py": "tests/hid/test_action_to_reports.py tests/hid/test_layouts.py",
    "cua/hid/writer_client.py": "tests/hid/test_gadget.py tests/hid/test_host_pauses.py",
    "cua/hid/reports.py": "tests/hid/test_pointing.py tests/hid/test_action_to_reports.py "
    "tests/hid/test_host_pauses.py::test_a_second_click_that_is_too_late_is_not_made",
    "cua/hid/typing_speed.py": "tests/hid/test_typing_speed.py",
    "cua/hid/action_to_reports.py": "tests/hid/test_action_to_reports.py "
    "tests/hid/test_pointing.py",
    "cua/hid/pointing.py": "tests/hid/test_pointing.py tests/hid/test_action_to_reports.py",
    "cua/hid/layouts/": "tests/hid/test_layouts.py",
    "cua/hid/input_profile.py": "tests/hid/test_layouts.py tests/hid/test_action_to_reports.py",
    "cua/events/archive.py": "tests/events/test_recorder.py",
    "cua/events/log.py": "tests/events",
    "cua/events/recorder.py": "tests/events/test_recorder.py",
    "cua/agent/session.py": "tests/agent/test_session.py tests/agent/test_manual_control.py "
    "tests/agent/test_planning.py tests/agent/test_task_queue.py tests/agent/test_attachments.py "
    "tests/agent/test_pointer_hold_property.py tests/safety/test_approval.py",
    "cua/hid/writer/": "tests/hid/test_writer_clock.py tests/hid/test_writer_usb.py "
    "tests/hid/test_writer.py tests/hid/test_writer_property.py "
    "tests/hid/test_gadget.py::test_a_plain_file_is_not_written_to",
    "cua/hid/writer/__main__.py": "tests/hid/test_writer.py tests/hid/test_leds.py",
    "cua/hid/writer/journal.py": "tests/hid/test_writer.py tests/hid/test_writer_property.py "
    "tests/hid/test_gadget.py::test_what_an_ordinary_user_may_not_write_comes_with_the_remedy",
    "cua/hid/writer/leds.py": "tests/hid/test_leds.py",
    "cua/hid/writer/rules.py": "tests/hid/test_rules.py tests/hid/test_writer_property.py",
    "cua/hid/writer/usb.py": "tests/hid/test_writer_usb.py",
}


def covering_tests(path: str) -> list[str]:
    """Raises `KeyError` if no test is known to cover it."""
    fitting = [each for each in COVERING if path.startswith(each)]
    if not fitting:
        raise KeyError(f"No tests are listed for {path} in tests/mutants/covering.py.")
    return COVERING[max(fitting, key=len)].split()
