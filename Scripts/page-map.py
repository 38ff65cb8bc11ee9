#!/usr/bin/env python3
"""Draws the pages of code that a launch touches, before and after ordering, as an SVG.

usage: page-map.py BEFORE_IMAGE BEFORE.json AFTER_IMAGE AFTER.json >page-map.svg

Each JSON file is what `orderfile pages --json` wrote for the image beside it. One cell is one page of 4 KiB
of the executable segment, in address order.
"""

import json
import subprocess
import sys

PAGE = 4096
COLUMNS = 57
CELL, GAP = 11, 2
STEP = CELL + GAP
LEFT = 1
STYLE = """
  text { font: 13px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
  .untouched { fill: #d8dee4 } .touched { fill: #cf222e } .ordered .touched { fill: #1a7f37 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .untouched { fill: #30363d } .touched { fill: #f85149 } .ordered .touched { fill: #3fb950 }
  }
"""


def executable_pages(image):
    """The page numbers of the first executable segment of the image, as readelf states it."""
    listing = subprocess.run(["readelf", "-lW", image], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        fields = line.split()
        if len(fields) > 6 and fields[0] == "LOAD" and "E" in fields[6:-1]:
            start, size = int(fields[2], 16), int(fields[5], 16)
            return range(start // PAGE, (start + size - 1) // PAGE + 1)
    sys.exit(f"page-map.py: {image}: missing an executable segment")


def executed_pages(path):
    """The page numbers of the first image's code in which an instruction ran."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if document.get("schema") != "orderfile.pages/1":
        sys.exit(f"page-map.py: {path}: expected orderfile.pages/1, found {document.get('schema')}")
    return {
        int(page["address"], 16) // PAGE
        for page in document["images"][0]["pages"]
        if page["access"] == "execute" and page["segment"] == "text"
    }


def strip(title, pages, touched, top, group):
    """The lines of one layout's grid, and where the next grid may begin."""
    lines = [f'<text x="{LEFT}" y="{top + 13}">{title}</text>', f'<g class="{group}">']
    top += 22
    for index, page in enumerate(pages):
        kind = "touched" if page in touched else "untouched"
        x, y = LEFT + index % COLUMNS * STEP, top + index // COLUMNS * STEP
        lines.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="2"/>')
    rows = -(-len(pages) // COLUMNS)
    return lines + ["</g>"], top + rows * STEP + 12


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__.strip())
    body, top, counts = [], 0, []
    for name, group, image, path in (
        ("The linker's order", "default", *sys.argv[1:3]),
        ("With the order file", "ordered", *sys.argv[3:5]),
    ):
        pages, touched = executable_pages(image), executed_pages(path)
        counts.append(len(touched))
        title = f"{name}: a launch executes {len(touched)} of {len(pages)} pages"
        lines, top = strip(title, pages, touched, top, group)
        body += lines
    label = f"Pages of code that a launch executes: {counts[0]} before ordering, {counts[1]} after"
    width = LEFT + COLUMNS * STEP
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" height="{top}"'
        f' role="img" aria-label="{label}">\n<style>{STYLE}</style>'
    )
    print("\n".join(body))
    print("</svg>")


main()
