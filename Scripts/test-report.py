#!/usr/bin/env python3
"""Opens reports in Debian's Chromium, from disk, and checks what a reader can rely on.

usage: test-report.py [--shots FOLDER] REPORT.html...

Each report, in light and dark, as wide as a desktop and as a phone: no violation that axe finds, no console message, no
request, no sideways scroll, and the keyboard reaches each view. The time until it is ready is printed: it depends on the machine.
"""
import argparse
import pathlib
import sys

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

SIZES = {"desktop": (1280, 800), "phone": (390, 844)}
LARGEST = 500_000


class Failures:
    def __init__(self):
        self.found = []

    def expect(self, condition, words):
        if not condition:
            self.found.append(words)
            print(f"test-report.py: {words}", file=sys.stderr)


def tab_stops(page):
    """The ids of the sections in which the focus rests, going from the top with Tab alone."""
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    seen, first = [], None
    for _ in range(600):
        page.keyboard.press("Tab")
        place = page.evaluate("""() => {
          const node = document.activeElement;
          if (node === document.body) return null;
          return [node.closest('section, aside, nav, header')?.id || node.closest('header') && 'header' || node.tagName,
                  node.outerHTML.slice(0, 200)];
        }""")
        if place is None or place[1] == first:
            break
        first = first or place[1]
        seen.append(place[0])
    return seen


def check(page, name, failures, shots):
    views = page.eval_on_selector_all("main > section", "sections => sections.map((one) => one.id)")
    failures.expect(len(views) >= 3, f"{name}: expected at least three views, found {views}")
    for phase in ("closed", "open"):
        if phase == "open":
            strip = page.locator("#strip-after")
            strip.focus()
            page.keyboard.press("Home")
            page.keyboard.press("]")
            page.keyboard.press("Enter")
            page.wait_for_selector("#drawer:not([hidden])")
            failures.expect("page=0x" in page.url, f"{name}: expected the page in the address, found {page.url[-80:]}")
        for details in page.query_selector_all("main details"):
            details.evaluate("(node) => (node.open = true)")
        page.wait_for_timeout(50)
        results = Axe().run(page)
        failures.expect(results.violations_count == 0, f"{name}, drawer {phase}: {results.generate_report()}")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        failures.expect(wide <= 0, f"{name}, drawer {phase}: scrolls sideways by {wide} pixels")
        if shots:
            for details in page.query_selector_all("main details"):
                details.evaluate("(node) => (node.open = false)")
            page.evaluate("window.scrollTo(0, 0)")
            page.screenshot(path=shots / f"{name}-{phase}.png", full_page=phase == "closed")
            if phase == "closed":
                page.add_style_tag(content=".readout { position: static }")
                page.locator("#map").screenshot(path=shots / f"{name}-map.png")
    page.keyboard.press("Escape")
    failures.expect(page.locator("#drawer").is_hidden(), f"{name}: Escape leaves the drawer open")
    focused = page.evaluate("document.activeElement.id")
    failures.expect(focused == "strip-after", f"{name}: the focus is on '{focused}' after Escape, expected 'strip-after'")
    reached = set(tab_stops(page))
    controls = "a, button, input, select, summary, [tabindex='0']"
    for view in views:
        failures.expect(view in reached or not page.query_selector_all(f"#{view} :is({controls})"), f"{name}: Tab does not reach view '{view}', only {sorted(reached)}")
    page.keyboard.press("/")
    failures.expect(page.evaluate("document.activeElement.id") == "find", f"{name}: '/' does not focus the search")
    page.keyboard.type("main")
    failures.expect("found" in page.locator("#found").inner_text(), f"{name}: the search says nothing")


def check_data(page, name, failures):
    """What the page shows equals the documents that it contains."""
    figures = page.evaluate("""async () => {
      const stored = await readData();
      const report = new Report(stored);
      const layouts = report.layouts.map((layout) => ({
        side: layout.side, predicted: layout.predictedPages.size,
        executed: [...layout.measuredPages.keys()].filter((page) => layout.isExecuted(page)).length }));
      return { layouts, diff: stored.documents.diff };
    }""")
    diff = figures["diff"]
    for layout in figures["layouts"]:
        side = layout["side"]
        if diff:
            failures.expect(layout["predicted"] == diff["textPages"][side],
                            f"{name}: {layout['predicted']} predicted pages {side}, diff has {diff['textPages'][side]}")
        measured = (diff or {}).get("measuredPages", {}).get(side)
        if measured:
            failures.expect(layout["executed"] == measured["pages"][0]["measured"],
                            f"{name}: {layout['executed']} executed pages {side}, diff has {measured['pages'][0]['measured']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("reports", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    failures = Failures()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for report in options.reports:
            size = report.stat().st_size
            failures.expect(size <= LARGEST, f"{report}: {size} bytes, expected at most {LARGEST}")
            for theme in ("light", "dark"):
                for device, (width, height) in SIZES.items():
                    name = f"{report.stem}-{theme}-{device}"
                    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": height}, offline=True)
                    page = context.new_page()
                    requests, messages = [], []
                    page.on("request", lambda request: requests.append(request.url))
                    page.on("console", lambda message: messages.append(message.text))
                    page.on("pageerror", lambda error: messages.append(str(error)))
                    page.goto(report.resolve().as_uri())
                    page.wait_for_selector("html[data-ready]", timeout=20_000)
                    ready = page.evaluate("performance.now()")
                    check_data(page, name, failures)
                    check(page, name, failures, options.shots)
                    failures.expect(requests == [report.resolve().as_uri()], f"{name}: requests {requests}")
                    failures.expect(not messages, f"{name}: console: {messages}")
                    print(f"{name}: {size} bytes, ready after {ready:.0f} ms")
                    context.close()
        browser.close()
    sys.exit(1 if failures.found else 0)


main()
