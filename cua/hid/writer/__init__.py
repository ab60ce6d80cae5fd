"""The sole writer of /dev/hidg*: a small process that holds the keyboard and mouse for the agent.

It has no network, sees no model text and imports nothing else of this program, so that it starts in
milliseconds and stays near 10 MB. Whatever happens to the process that drives it (killed, frozen,
out of memory), it releases every key and button.

    python -S -E -m cua.hid.writer PREFIX JOURNAL [SYS]      with one end of a socket pair as stdin

    __main__.py        the process: requests in, answers out, every way to end
    writer.py          handling of requests; the lease
    devices.py         the device files: a report and its acknowledgement, releases that are owed
    journal.py         what is down and where the pointer is, for a successor after a kill
    usb.py             state of the USB side and length of reports, from sysfs and configfs
    leds.py            LEDs of the keyboard, where no other process reads them
    foreign_writes.py  detection of writes by other processes
    pace.py            least time between reports
    rules.py           which reports are allowed
    messages.py        requests and answers
"""
