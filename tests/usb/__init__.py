"""The writer and real USB stacks: commands and tests.

python -m tests.usb.kills [N]       kills, freezes and double kills at random reports
"""
