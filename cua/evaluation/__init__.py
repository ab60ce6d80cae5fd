"""Measure what a model, with this agent, gets done on a computer where it can do no harm.

A task is a computer in a known state, a goal in words, and a checker that looks at the computer's
state afterwards, never at what the agent says. The computer is a process of its own and is reached
as every KVM is, so screen, loop, model, dialect and input are measured together.

    task.py          what a task is;  tasks/: all of them, as tables
    environments.py  where they run: the simulated computer, or desktop/, a real one
    run.py           one run of one model -> a result;  batch.py: many runs;  on_cluster.py: by Ray
    metrics.py       steps, seconds, refusals and tokens, from the run's log
    report.py        a row for each model, and the verdict;  proportion.py: confidence intervals
    testbed.py       a computer with our screen and input on it;  checkup/: examines a model
"""
