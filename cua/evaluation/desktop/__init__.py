"""A real desktop: an X server with a window manager and programs from Debian.

It is reached as every KVM is, by an MJPEG stream and by raw HID reports through FIFOs.

    computer.py     the process: `python -m cua.evaluation.desktop.computer --dir DIR`
    xserver.py      Xvfb and openbox; the framebuffer -> pictures
    programs.py     the programs, and which of them are missing
    usb_to_x.py     HID reports -> XTEST, as the kernel of a USB host would read them
    pages.py        web pages that report what happens on them
    state.py        its state, for checks
"""
