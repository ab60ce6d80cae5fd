"""From a bare Python to a running service: the first start on a KVM, and every one after it.

The person clicks a button in the KVM's own page and expects an agent; nothing but the standard
library is there. So nothing in this room needs more: it shows a page of its own on the service's
port, installs our pinned packages into a virtual environment beside the program, and the real
program takes over the socket.

    pins.py     the packages, pinned and hashed in lock.txt
    loaded.py   whether this Python has them
    home.py     where they are installed, and whether that is whole
    wheels.py   fetching wheels for another machine; bundle.py: program and wheels in one file
    pip.py      where a pip comes from, and what it is told
    job.py      one installation, as a thread; faults.py: what went wrong, in words
    server.py   the page on the port;  takeover.py: the socket changes hands
    first.py    all of it put together, with a page or in a terminal
"""
