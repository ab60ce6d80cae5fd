"""A small simulated PC behind a simulated KVM: `python -m cua.simulator --dir DIR`.

It is a process of its own and knows nothing of the agent: USB reports come in through FIFOs, pixels
go out as MJPEG, and nothing else changes it. So the demo, the tests and the evaluation run the same
code as with a real device. `GET /state` returns its true state, for checkers.

    fifos.py     the FIFOs;  usbhost.py, keys.py: report bytes -> events (pure; the tests' oracle)
    hardware.py  what survives a restart, and timers;  pc.py: power, and the phase that is shown:
                 firmware.py (power-on, black screens), bios_setup.py, desktop.py
    desktop.py   window_manager.py: windows and programs;  input_dispatch.py: which part gets an
                 event;  desktop_icons.py, taskbar.py, menu.py;  window.py: frames;  dialogs.py
    widgets.py   the widgets, with list_box.py, scroll_area.py, textbox.py (editing.py), scroll.py
    paint.py     drawing;  icons.py: pictures
    programs.py  the list of apps/, one file each, which use disk.py, network.py, file_actions.py
    scenario.py  how one run differs from another;  disturbances.py: what gets in the way
    display.py   draws what changed and encodes it;  server.py: HTTP
"""
