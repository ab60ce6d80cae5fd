"""Screen and input on the real desktop of `cua/evaluation/desktop`.

`python -m tests.evaluation.desktop.figures` prints how exact and fast the input is there.

    real_desktop.py  the desktop for a test
    input_tasks.py   input tasks, and what the programs there received

Without its programs (`apt-get install xvfb openbox xterm chromium mousepad pcmanfm zenity`) the
tests are skipped.
"""
