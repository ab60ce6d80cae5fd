"""The model check-up: does the model click where it means to? On drawn screens, never the user's.

A model that is asked in the wrong dialect, or whose coordinates are read in the wrong system,
clicks beside everything without an error. So it is shown targets at known places: its errors tell
which system it uses, and from that follows the setting that fixes it.

    run.py                 the whole check-up: reach, click, speed, fix or skills -> a report
    model_under_test.py    the model, and conversations with it
    targets.py             seeded targets, and the screens on which they are drawn
    clicks.py              asks for a click on each target; the numbers of a reply, in any dialect
    coordinate_systems.py  known coordinate systems, and which of them the clicks fit
    fixes.py               coordinate system -> settings
    skills.py              type, chord, scroll, drag, ask, on a simulated computer
    speed.py               tokens and seconds
    report.py              all that was found, and the verdict in words
    service.py             the check-ups of the running service
"""
