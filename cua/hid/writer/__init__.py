"""The sole writer of /dev/hidg*: a small process that holds the keyboard and mouse for the agent.

It has no network, sees no model text and imports nothing else of this program, so that it starts in
milliseconds and stays near 10 MB. Whatever happens to the process that drives it (killed, frozen,
out of memory), it releases every key and button.

    python -S -E -m cua.hid.writer PREFIX JOURNAL [SYS]      with one end of a socket pair as stdin
"""
