"""A computer-use agent for IP-KVMs.

The packages, from the top; a package imports only what stands below it:

    cli/         commands, options and their output; doctor/ diagnoses, install/ installs packages
    web/         page, routes, WebSockets; auth/ decides who is let in, mcp/ serves MCP clients
    fleet/       one task on many computers, each behind a KVM of its own
    app/         machine.py makes a running agent from the settings and owns its parts
    evaluation/  tasks with a known result; checkup/ examines a model
    procedures/  does a recorded task again without a model
    agent/       loop.py works on a task, session.py starts, pauses and stops it; checks/ look for
                 repetition, missing effects, a stale screen and more
    safety/      rules/ name the actions that need a person's yes, approval.py asks for it;
                 secrets.py types passwords that the model does not see
    models/      one file per provider: messages -> reply; local/ needs no model
    kvms/        one file per KVM: its video, its keyboard and mouse, its power, its USB drive
    notifications.py  messages to a person who is away
    dialects/    one file per model family: history -> messages, reply -> actions
    screen/      video as JPEGs -> newest frame, still frame; ocr/ reads text
    hid/         actions -> USB HID reports; writer/ is the process that writes and releases them
    settings/    fields, their file, their checks
    events/      log.py feeds every page; recorder.py keeps it on disk, task by task; archive.py
                 reads it there
    simulator/   a simulated PC behind a simulated KVM, a process of its own, for `--demo` and tests
    cluster.py   connects to a Ray cluster, where the extra is installed
    types/       actions, steps, protocols, errors
    extras.py    optional packages;  messages.py: texts for people in each language;
                 exit_codes.py: of commands;  timeouts.py: a deadline around awaits;
                 tls_contexts.py: TLS without the usual checks;  runtime_folder.py: on /run,
                 shared by processes. They need only the standard library
"""

__version__ = "0.1.0"
