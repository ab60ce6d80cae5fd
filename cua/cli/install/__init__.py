"""Install the packages that the service needs, with the standard library alone.

A KVM has a bare Python. On the first start a page on the service's port installs the pinned
packages into a folder beside the program, and the program continues with them.

    pins.py             the packages, pinned and hashed in lock.txt
    package_folders.py  their folders, and which are missing
    pip.py              find a pip, and run it
    bundle.py           program and wheels in one file
    installation.py     one installation, as a thread; errors.py: its error messages
    server.py           the page on the port
    command.py          installation from a page or in a terminal
    on_demand.py        extras that a page installs while the service runs
"""
