"""Reads from the documents of other commands what a report must show of each page of a layout."""

import collections
import json
import pathlib
import re

PAGE = 4096
ACCESS_WORDS = {"execute": "executed", "read": "read", "write": "written", "kernel": "used by a system call"}


def visible(name):
    """A name as a report shows it: invisible characters, and characters that change a line's direction, are U+FFFD."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", "\ufffd", name)


class Layout:
    """One image: the documents `show --json IMAGE` and `pages --json`, and its side of `diff --json`."""

    def __init__(self, side, image, pages, diff):
        self.side = side
        self.id = image["id"]
        self.functions = sorted(
            (int(one["address"], 16), one["sizeBytes"], visible(one["name"])) for one in image["functions"]
        )
        self.sections = [(int(one["address"], 16), one["sizeBytes"], one["name"]) for one in image["sections"]]
        counted = next(one for one in pages["images"] if one.get("id") == image["id"])
        self.touches = {}
        for touch in counted["pages"]:
            self.touches.setdefault(int(touch["address"], 16), []).append(touch)
        self.executed = {
            page for page, touches in self.touches.items() if any(one["access"] == "execute" for one in touches)
        }
        compared = diff["measuredPages"][side]
        self.differences = {int(one["address"], 16): one for one in compared["differences"]}
        only_executed = {page for page, one in self.differences.items() if one["isExecuted"]}
        # diff lists the pages that are only executed or only predicted. All other executed pages are predicted, too.
        self.predicted = (self.executed - only_executed) | (set(self.differences) - only_executed)
        self.counts = next(one for one in compared["pages"] if one["pageSizeBytes"] == PAGE)
        assert len(self.executed) == self.counts["measured"] and len(self.predicted) == self.counts["predicted"]
        labels = collections.Counter(name for *_, name in self.functions)
        # If several files have functions of one name, diff says which function ran only for the layout after.
        self.ambiguous = {name for name, count in labels.items() if count > 1}
        self.used = {visible(one["name"]) for one in diff["functions"]}
        self.order = {visible(one["name"]): place for place, one in enumerate(diff["functions"])}

    def words(self, page):
        """What touched a page, in the words of the report."""
        touches = self.touches.get(page, [])
        how = ", ".join(
            word for access, word in ACCESS_WORDS.items() if any(one["access"] == access for one in touches)
        )
        if page in self.predicted:
            return f"{how}, as predicted" if how else "only predicted"
        return how or "not touched"

    def shapes(self, start, end, is_part):
        """The shapes that a cell may have. A part of a page may have two: only the prediction shows where code is."""
        pages = range(start // PAGE * PAGE, end, PAGE)
        found = set()
        for page in pages:
            is_touched = page in self.touches
            if page in self.predicted:
                found.add("full" if is_touched else "hatched")
            else:
                found.add("dotted" if page in self.executed else "barred" if is_touched else "pale")
        strongest = next(shape for shape in ("full", "dotted", "barred", "hatched", "pale") if shape in found)
        if not is_part or pages[0] not in self.predicted:
            return {strongest}
        is_read = pages[0] in self.touches and pages[0] not in self.executed
        return {strongest, "barred" if is_read else "pale"}

    def functions_on(self, page):
        """`(address, size, name)` of the functions with a byte on the page."""
        return [one for one in self.functions if one[0] < page + PAGE and one[0] + max(1, one[1]) > page]

    def startup_bytes(self, page):
        """The bytes of named startup functions on the page. Other functions may run there, too."""
        ranges = sorted(
            (max(page, start), min(page + PAGE, start + size))
            for start, size, name in self.functions_on(page)
            if name in self.used - self.ambiguous
        )
        total, end = 0, page
        for start, stop in ranges:
            total += max(0, stop - max(start, end))
            end = max(end, stop)
        return total

    def is_ambiguous(self, page):
        """Whether the page has a function with a used but ambiguous name: it is unknown which of its functions ran."""
        return any(name in self.ambiguous & self.used for *_, name in self.functions_on(page))

    def sections_on(self, page):
        return {name for start, size, name in self.sections if start < page + PAGE and start + size > page}


def truth(report):
    """The diff, the layouts and the check of `NAME.html`, from documents beside it; `None` or empty without them."""
    stem = report.with_suffix("")
    check = pathlib.Path(f"{stem}.check")
    limits = json.loads(check.read_text()) if check.exists() else None
    documents = {
        kind: pathlib.Path(f"{stem}{kind}") for kind in (".diff", ".show", ".json", "-before.show", "-before.json")
    }
    if not all(path.exists() for path in documents.values()):
        return None, [], limits
    read = {kind: json.loads(path.read_text()) for kind, path in documents.items()}
    return (
        read[".diff"],
        [
            Layout("before", read["-before.show"], read["-before.json"], read[".diff"]),
            Layout("after", read[".show"], read[".json"], read[".diff"]),
        ],
        limits,
    )


def faults(report, layout):
    """All faults in the `faults --json` document of a layout of `NAME.html`, and the image's by page; else empty."""
    stem = str(report.with_suffix(""))
    path = pathlib.Path(f"{stem}-before.faults" if layout.side == "before" else f"{stem}.faults")
    if not path.exists():
        return [], {}
    document = json.loads(path.read_text())
    image = next(index for index, one in enumerate(document["files"]) if one.get("id") == layout.id)
    pages = {}
    for fault in document["faults"]:
        if fault.get("file") == image and "address" in fault:
            pages.setdefault(int(fault["address"], 16) // PAGE * PAGE, []).append(fault)
    return document["faults"], pages
