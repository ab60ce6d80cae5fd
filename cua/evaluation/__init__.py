"""Measure the success of a model with this agent, on a computer where it can do no harm.

A task is a computer in a known state, a goal in words, and a checker of the computer's state
afterwards, which ignores the agent's words. The computer is a process of its own and is connected
like every KVM, so screen, loop, model, dialect and input are measured together.

    task.py          a task;  tasks/: all of them, as tables
    environments.py  their computers: the simulated one, or desktop/, a real one
    run.py           one run of one model -> a result;  batch.py: many runs;  on_cluster.py: by Ray
    metrics.py       steps, seconds, refusals and tokens, from the run's log
    report.py        a row for each model, and the verdict;  proportion.py: confidence intervals
    testbed.py       a computer with our screen and input on it;  checkup/: examines a model
"""
