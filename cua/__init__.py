"""An agent that works at a computer through an IP-KVM: it sees its screen and is its keyboard.

The rooms, in the order in which a step walks through them:

    screen/     the KVM's MJPEG stream -> the newest frame, and a frame of a screen at rest
    models/     one file per provider: messages -> reply
    dialects/   one file per model family: history -> messages, reply -> actions
    hid/        actions -> USB HID reports, and the device that takes them
    agent.py    the loop that joins them; it knows only the protocols of types.py
    session.py  one person's session: send, pause, reset; the only place with state
    web.py      the page and its API;  headless.py: the same job in a terminal
    app.py      puts the parts together from settings.py; nothing else names concrete classes
    virtual/    a simulated PC behind a simulated KVM, a process of its own, for `--demo` and tests
"""

__version__ = "0.1.0"
