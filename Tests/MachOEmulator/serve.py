"""Runs what run.py runs, many times: Unicorn and lief take most of a second to load, and a fork has them.

usage: serve.py REQUESTS

Creates the pipe REQUESTS, says so by a line on standard output, and reads lines of JSON from it until it is killed:
`arguments` for run.py, the folder to be in, the files for `output` and `errors`, and the pipe `end`, which gets the
exit status as a line.
"""

import json
import os
import signal
import sys
import traceback
from typing import Any

import run


def answer(request: dict[str, Any]) -> int:
    """Runs it in this process."""
    os.chdir(request["folder"])
    for stream, name in ((1, "output"), (2, "errors")):
        file = os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, stream)
        os.close(file)
    sys.argv[1:] = request["arguments"]
    try:
        status = run.main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def watch(request: dict[str, Any]) -> None:
    """Runs it in a process of its own, which a signal may end, and tells how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if child == 0:
        os._exit(answer(request))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with open(request["end"], "w", encoding="ascii") as end:
        end.write(f"{status if status >= 0 else 128 - status}\n")


def main() -> None:
    path = sys.argv[1]
    os.mkfifo(path, 0o600)
    # Writable, too, so that it does not end when no test has it open.
    requests = os.fdopen(os.open(path, os.O_RDWR), encoding="utf-8")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    for line in requests:
        if os.fork() == 0:
            watch(json.loads(line))
            os._exit(0)


if __name__ == "__main__":
    main()
