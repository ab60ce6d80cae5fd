"""Our eyes and hands on the real desktop of `cua/evaluation/desktop`.

`python -m tests.evaluation.desktop.figures` prints how exact the hands are there.

    desk.py         the desktop for a test;  feats.py: what the hands have to do there

Without its programs (`apt-get install xvfb openbox xterm chromium mousepad pcmanfm zenity`) the
tests are skipped.
"""
