"""The sole writer of /dev/hidg*: a small process that holds the keyboard and mouse for the agent.

It has no network, sees no model text and imports nothing else of this program, so that it starts in
milliseconds, stays near 10 MB and goes on when the agent does not: whatever happens to the process
that drives it (killed, frozen, out of memory), it lets go of every key and button.

    python -S -E -m cua.writer PREFIX JOURNAL [SYS]      with one end of a socket pair as stdin

    __main__.py  the process: requests in, answers out, every way to end
    writer.py    what it does with a request; the lease
    devices.py   the device files: a report and its acknowledgement, what is owed, the release
    journal.py   what is down and where the pointer is, for the next one if this one is killed
    usb.py       what the kernel tells about the USB side: connected or not, lengths of reports
    lamps.py     caps lock, where nobody else reads it
    watch.py     notices when somebody else writes
    rules.py     which reports may go out at all
    wire.py      the messages
"""
