"""Runs an arm64 Mach-O executable where there is no Mac, and reports what it touched.

usage: run.py [--folder FOLDER] [--slide N | --seed N] [--pid N] [--env NAME=VALUE]...
              [--report FILE] IMAGE [ARGUMENT...]

Standard output and error are the program's own. The exit status is the program's, 128 + its number
if a signal ended it, or 125 if the harness could not go on: then standard error has the reason.
"""

import argparse
import json
import os
import signal
import sys
from typing import Any

from image import ImageError
from machine import Crash
from process import MissingFunction, Process, Settings

UNABLE = 125


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run an arm64 Mach-O executable.")
    parser.add_argument("image")
    parser.add_argument("--folder", help="all that it sees of the file system")
    parser.add_argument("--slide", type=lambda text: int(text, 0), help="of the executable")
    parser.add_argument("--seed", type=int, default=1, help="chooses slides that are not given")
    parser.add_argument("--pid", type=int, default=os.getpid())
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--report", help="file for the report, as JSON")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args()


def report(process: Process | None, end: dict[str, Any]) -> dict[str, Any]:
    """Everything that is known after a run; addresses of images are stated ones."""
    result: dict[str, Any] = {"status": None, "signal": None, "reason": None, **end}
    if process:
        result["blocks"] = process.pages.block_count
        result["stages"] = process.stages
        result["calls"] = list(process.called)
        result["executedFunctions"] = process.pages.functions()
        result["images"] = [each.report() for each in process.pages.images]
    return result


def main() -> int:
    options = parse_arguments()
    environment = dict(each.partition("=")[::2] for each in options.env)
    image = os.path.abspath(options.image)
    settings = Settings(
        image=image,
        arguments=options.arguments,
        environment=environment,
        folder=options.folder or os.path.dirname(image),
        slide=options.slide,
        seed=options.seed,
        pid=options.pid,
    )
    process: Process | None = None
    try:
        process = Process(settings)
        status = process.run()
        end: dict[str, Any] = {"status": status}
    except Crash as crash:
        status = 128 + getattr(signal, crash.signal, 0)
        end = {"signal": crash.signal, "reason": str(crash)}
    except (ImageError, MissingFunction) as error:
        status = UNABLE
        end = {"reason": str(error)}
    if end.get("reason"):
        print(f"emulator: {end['reason']}", file=sys.stderr)
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump(report(process, end), file)
    return status


if __name__ == "__main__":
    sys.exit(main())
