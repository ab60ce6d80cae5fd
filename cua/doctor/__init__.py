"""What stands between a person and a running agent, each fault with its cure.

Looks at the machine and at the KVM's hardware with the standard library alone; at the stream and
the model server with the parts of the service, where its packages are there. Nothing is changed and
no key pressed. The model gets drawn pictures only, never a screen.

    finding.py  one thing that was looked at
    machine.py  Python, packages, memory, disk, clock, certificates, port
    hardware.py the USB gadget, the HDMI input, the firmware
    eyes.py     the video stream
    mind.py     the model and its server
    cli.py      the command
"""
