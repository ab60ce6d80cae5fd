"""A small simulated PC behind a simulated KVM: `python -m cua.simulator --dir DIR`.

It is a separate process that knows nothing of the agent: its input is USB reports in FIFOs, its
output MJPEG. So the demo, the tests and the evaluation run the same code as with a real device.
`GET /state` returns its true state, for checkers.

    fifos.py     the FIFOs;  usbhost.py: report bytes -> events (pure; the tests' oracle)
    hardware.py  disk, settings and timers;  pc.py: power, and the phase on the screen:
                 phases.py (power-on, black screens), bios_setup.py, desktop.py
    desktop.py   events and drawing;  windows.py: programs and their windows;  wallpaper.py,
                 taskbar.py, menu.py, dialogs.py
    widgets.py   the widgets, with scroll_view.py and textbox.py
    paint.py     drawing;  icons.py, pictures/: icons and the wallpaper
    apps/        the programs, one file each;  disk.py, adapters.py, file_actions.py: their data
    scenario.py  differences between runs;  disturbances.py: unexpected dialogs and changes
    server.py    frames, and HTTP
"""
