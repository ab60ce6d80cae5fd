"""A real desktop: an X server with a window manager and programs from Debian.

It is connected like every KVM, by an MJPEG stream and by raw HID reports through FIFOs.

    computer.py     the process: `python -m cua.evaluation.desktop.computer --dir DIR`
    xserver.py      Xvfb and openbox; the framebuffer -> pictures
    programs.py     the programs, and the missing packages
    usb_to_x.py     HID reports -> XTEST, like the kernel of a USB host
    pages.py        web pages that report their state
    state.py        its state, for checks
"""
