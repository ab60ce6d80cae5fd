"""Diagnose faults of the machine, the KVM and the model server, with a remedy for each.

The machine and the KVM's hardware are examined with the standard library alone; the video stream
and the model server only if the packages are installed. It changes nothing and presses no key. The
model gets drawn pictures, never a screenshot.

    finding.py  the result of one check
    machine.py  Python, packages, memory, disk, clock, certificates, port
    hardware.py the USB gadget, the HDMI input, the firmware
    video.py    the video stream
    model_server.py  the model and its server
    command.py  the command
"""
