"""An agent that works at a computer through an IP-KVM: it sees its screen and is its keyboard.

The rooms, in the order in which a step walks through them:

    kvms/       one file per KVM: where its pictures come from, how it takes reports, its power
    screen/     the KVM's pictures -> the newest frame, and a frame of a screen at rest
    dialects/   one file per model family: history -> messages, reply -> actions
    models/     one file per provider: messages -> reply;  models/local/: OCR and rules, no AI
    hid/        actions -> USB HID reports, played on a KVM
    writer/     the one process that writes to the KVM's HID devices; releases come what may
    sentinel.py the process that lets go behind a KVM elsewhere when ours was killed or stands still
    craft/      what makes the loop good at its work: habits, each of which can be switched off
    gate/       which actions a person has to be asked about; approval.py asks, and waits;
                nearby.py reads what is clicked
    agent.py    the loop that joins them; it knows only the protocols of types/
    session.py  one person's session: send, pause, reset; the only place with state
    events.py   what happens, from which every page is fed; record.py keeps it, task by task
    vault.py    secrets for typing, by name; veil.py what the model sees while one may be seen

    web.py      the page's API; sockets.py its WebSockets, page.py its files, desk.py who holds the
                session, guard.py what every request has to pass, lobby.py until all is loaded;
                heard.py finds a sentence of ours in what is said, for the page's other language
    helm.py     the person's own hands: the agent gives way; grip.py is a button that they hold,
                takeover.py the page's way to both
    access.py   who is let in: kvm_login.py asks the KVM, pairing.py has the code; doorway.py is
                the port with http and https
    headless.py the same job in a terminal
    calibrate.py  how far a relative mouse goes, measured on the screen
    checkup/    does a model see straight: targets, where it clicks, what would cure it
    install/    the first start, when no package is there: from a bare Python to the service
    mcp_server.py  the same eyes and hands for clients of the Model Context Protocol;
                mcp_question.py asks the person there
    entry/      what cua_webapp.py offers in a terminal: options, and a function for each command
    serving.py  the service on its socket
    doctor/     what stands between a person and a running agent, each fault with its cure
    manners.py  what it takes of a KVM that has its own video to send
    app.py      puts it together: parts.py makes from settings/ what they describe, console.py holds
                the KVM with its screen and our hands; nothing else names concrete classes
    virtual/    a simulated PC behind a simulated KVM, a process of its own, for `--demo` and tests
"""

__version__ = "0.1.0"
