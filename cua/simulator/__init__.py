"""A small simulated PC behind a simulated KVM: `python -m cua.simulator --dir DIR`.

It is a process of its own and knows nothing of the agent: USB reports come in through FIFOs, frames
go out as MJPEG, and nothing else changes it. So the demo, the tests and the evaluation run the same
code as with a real device. `GET /state` returns its true state, for checkers.

    fifos.py     the FIFOs;  usbhost.py: report bytes -> events (pure; the tests' oracle)
    hardware.py  what survives a restart, and timers;  pc.py: power, and the phase that is shown:
                 phases.py (power-on, black screens), bios_setup.py, desktop.py
    desktop.py   events and drawing;  windows.py: programs and their windows;  wallpaper.py,
                 taskbar.py, menu.py, dialogs.py
    widgets.py   the widgets, with scroll_view.py and textbox.py
    paint.py     drawing;  icons.py, pictures/: icons and the wallpaper
    apps/        the programs, one file each;  disk.py, adapters.py, file_actions.py: what they use
    scenario.py  how one run differs from another;  disturbances.py: what gets in the way
    server.py    frames, and HTTP
"""
