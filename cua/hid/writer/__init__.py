"""The sole writer of /dev/hidg*: a small process that drives keyboard and mouse.

It uses no network, gets no model text and imports nothing else of this program, so it starts in
milliseconds and needs about 10 MB. If the process that controls it is killed, frozen or out of
memory, it releases every key and button.

    python -S -E -m cua.hid.writer PREFIX JOURNAL [SYS]      with one end of a socket pair as stdin
"""
