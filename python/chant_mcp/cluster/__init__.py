"""Runs on other machines: the engine that places them, and the processes that speak to it.

Only scheduler, worker, placer and the commands `cluster` and `worker` import the engine. Truth stays on the
git remote: the engine chooses a machine, carries messages and tells that a machine is gone.
"""
