"""The model check-up: do the model's clicks hit? On drawn screens, never the user's.

A model with the wrong dialect or coordinate system misses every target without an error. So the
check-up shows targets at known places: the distances of its clicks reveal the system it uses, and
so the setting that fixes it.

    run.py                 the whole check-up: reach, click, speed, fix or skills -> a report
    model_under_test.py    the model, and conversations with it
    targets.py             seeded targets, and the screens on which they are drawn
    clicks.py              asks for a click on each target; the numbers of a reply, in any dialect
    coordinate_systems.py  known coordinate systems, and the one that the clicks fit
    fixes.py               coordinate system -> settings
    skills.py              type, chord, scroll, drag, ask, on a simulated computer
    speed.py               tokens and seconds
    report.py              all results, and the verdict in words
    service.py             the check-ups of the running service
"""
