"""Workers, schedulers and drivers of shared solves, for tests to kill."""

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import psutil

from support import ROOT


def wait_for(what, seconds=120.0):
    """Wait until something is so; return it."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def workers_of(process):
    """The workers that a process has started, and that live: one killed a moment ago is there, but not in full."""
    found = []
    for child in process.children(recursive=True):
        try:
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
        except (psutil.ZombieProcess, psutil.NoSuchProcess):
            pass
    return found


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def dask_processes(folder):
    """Give what starts a scheduler or a worker of Dask; they end with the test."""
    started = []

    def start(*words):
        command = [sys.executable, "-m", "dask", *words, "--no-dashboard"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        started.append(subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL, env=environment))
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.wait()
