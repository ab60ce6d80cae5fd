"""A real desktop: an X server with a window manager and programs from Debian.

It is reached as every KVM is, by an MJPEG stream and by raw HID reports through FIFOs.

    computer.py     the process: `python -m cua.evaluation.desktop.computer --dir DIR`
    xserver.py      Xvfb and openbox;  programs.py: what runs on them, and what is missing
    usb_to_x.py     report bytes -> XTEST, as the kernel of a USB host would read them
    camera.py       the framebuffer -> JPEG;  pages.py: web pages that tell what happens to them
    state.py        its state, for checkers
"""
