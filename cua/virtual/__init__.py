"""A small simulated PC behind a simulated KVM: `python -m cua.virtual --dir DIR`.

It is a process of its own and knows nothing of the agent: USB reports come in through FIFOs, pixels
go out as MJPEG, and there is no other way to change it. So the demo, the tests and the bench walk
through exactly the code that a real device does. `GET /state` tells checkers the truth.

    wire.py      the FIFOs;  usbhost.py, keys.py: report bytes -> events (pure; the tests' oracle)
    pc.py        what survives a restart, power, timers; it shows one stage.py at a time:
                 firmware.py (power-on, black screens), setup.py (BIOS), desktop.py
    desktop.py   the windows; hands.py: who gets an event; shelf.py: wallpaper and icons;
                 taskbar.py, menu.py: what is in front; window.py: frames, programs, dialogs
    widgets.py   the kit, with lists.py, area.py, textbox.py (editing.py) and scroll.py
    paint.py     drawing; icons.py: pictures
    apps/        the programs, one file each, and a list of every label;  disk.py, network.py:
                 what they work on;  scenario.py: how one run differs from another
    display.py   draws what changed and encodes it;  server.py: HTTP
"""
