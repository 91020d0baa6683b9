"""Solves in processes of their own, for tests to kill."""

import os
import subprocess
import sys

from support import ROOT, SUPPORT

PROGRAM = str(SUPPORT / "storing.py")


def start(place, pause=0.0, transaction=32 << 20, limit=0, seconds=0.0, restart=False):
    settings = pause, transaction, limit, seconds, "again" if restart else ""
    command = [sys.executable, PROGRAM, str(place), *map(str, settings)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
