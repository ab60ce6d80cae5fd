"""A small simulated PC behind a simulated KVM: `python -m cua.virtual --dir DIR`.

It is a process of its own and knows nothing of the agent: USB reports come in through FIFOs, pixels
go out as MJPEG, and there is no other way to change it. So the demo, the tests and the bench walk
through exactly the code that a real device does. `GET /state` tells checkers the truth.

    usbhost.py   report bytes -> key, pointer and wheel events (pure; also the tests' oracle)
    pc.py        the computer: power, clock, timers;  stages: firmware.py, desktop.py
    paint.py, icons.py, widgets.py, text.py, menu.py, window.py   what programs are made of
    apps/        the programs, one file each;  disk.py: their files;  scenario.py: how a run differs
    display.py   draws what changed and encodes it;  server.py: HTTP;  wire.py: the FIFOs
"""
