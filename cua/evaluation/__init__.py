"""The bench: is a model, and this agent with it, fit to be let near a computer? In numbers.

An exercise is a computer in a known state, a goal in words, and a checker that looks at the state
of the computer afterwards, never at what the agent says. The computer is a process of its own and
reached as every KVM is; so what is measured is all of it: eyes, loop, model, dialect, hands.

    exercise.py   what an exercise is;  exercises/: all of them, a file for each program
    worlds.py     where they are done: the simulated computer; desktop/: a real one
    run.py        one run of one pilot -> a result;  many.py: many of them beside each other
    figures.py    steps, seconds, refusals and tokens, from the log of the run
    report.py     a row for each model, and the verdict;  share.py: with its uncertainty
    person.py     answers what the gate asks;  habits.py: what of the agent can be switched off
    ablation.py   what each habit is worth
    cli.py        the command;  terminal.py: what it prints

    actor.py      a scripted model, which knows the solution (moves.py) and the truth (sight.py)
    faults.py     the ways in which it can be bad;  hearing.py: what it heeds
    writing.py    what it says, in a dialect;  pilots.py: all of them by name
"""
