"""A real desktop: an X server with a window manager and programs from Debian, behind a KVM of ours.

It is reached as every KVM is, by an MJPEG stream and by raw HID reports through FIFOs, and by
nothing else. `python -m tests.desktop` runs the bench on it, and `python -m tests.desktop.figures`
prints how exact the hands are there.

    computer.py     the process: `python -m tests.desktop.computer --dir DIR`
    xserver.py      Xvfb and openbox;  programs.py: what runs on them
    usb_to_x.py     report bytes -> XTEST, as the kernel of a USB host would read them
    camera.py       the framebuffer -> JPEG;  pages.py: web pages that tell what happens to them
    truth.py        what the state is, for checkers
    desk.py         all of it with our eyes and hands on it;  feats.py: what they have to do there
    exercises.py    what there is to do for a model

Needs `apt-get install xvfb openbox xterm chromium mousepad pcmanfm zenity`; without them the tests
are skipped.
"""
