"""Our writer against kills, and against real USB stacks.

python -m tests.usb.kills [--times N] [KIND...]     ends processes in the middle of actions
pytest -m usb                                       Linux guests in QEMU; debian.py says what of
"""
