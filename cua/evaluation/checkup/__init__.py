"""The model check-up: does the model click where it means to? On drawn screens, never the user's.

A model that is spoken to in the wrong action language, or whose places are read in the wrong space,
clicks beside everything, and nothing says so. So it is shown targets whose places are known: the
errors tell which space it really counts in, and from that follows the setting that cures it.

    run.py       the whole of it: reach, click, cure or skills, speed -> a report
    targets.py   seeded targets, and the screens with them drawn on
    clicks.py    asks for a click on each;  readings.py: what numbers a reply names, in any dialect
    spaces.py    ways to count places, and which of them the clicks fit;  cures.py: -> settings
    skills.py    type, chord, scroll, drag, ask, on a virtual computer (`cua/evaluation/testbed.py`)
    speed.py     tokens and seconds;  report.py: all that was found, and the verdict in words
    service.py   the button in Settings;  terminal.py: the same as a command
"""
