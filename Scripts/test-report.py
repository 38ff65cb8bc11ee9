#!/usr/bin/env python3
"""Opens reports in Debian's Chromium, from disk, and checks them.

usage: test-report.py [--shots FOLDER] REPORT.html...

Opens each report in light and dark, as wide as a desktop and as a phone, and checks that there is no violation that axe
finds, no console message, no request, and no sideways scroll. Checks once for each report its contents against the
documents beside it (report_truth.py), the keyboard, all zooms, forced colours, print, and a width of 320 pixels. Prints
the time until the report is ready, which depends on the machine.
"""

import argparse
import pathlib
import sys

from playwright.sync_api import sync_playwright

import report_checks as checks
from report_truth import faults, truth

SIZES = {"desktop": (1280, 800), "phone": (390, 844)}


class Opened:
    """A report in a separate browser. Keeps the browser's requests and messages."""

    def __init__(self, browser, report, name, failures, size=(1280, 800), **options):
        self.report, self.name, self.failures = report, name, failures
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=True, **options)
        self.page = self.context.new_page()
        self.requests, self.messages = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))

    def __enter__(self):
        self.page.goto(self.report.resolve().as_uri())
        self.page.wait_for_selector("html[data-ready]", timeout=30_000)
        self.ready = float(self.page.evaluate("document.documentElement.dataset.ready"))
        return self.page

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.failures.expect(
                self.requests == [self.report.resolve().as_uri()], f"{self.name}: requests {self.requests}"
            )
            self.failures.expect(not self.messages, f"{self.name}: console: {self.messages[:5]}")
        self.context.close()


def check(browser, report, options, failures):
    diff, layouts, limits = truth(report)
    times = []
    for theme in ("light", "dark"):
        for device, box in SIZES.items():
            name = f"{report.stem}-{theme}-{device}"
            opened = Opened(browser, report, name, failures, box, color_scheme=theme)
            with opened as page:
                if options.shots:
                    take(page, options.shots, name)
                checks.check_axe(page, name, failures)
                if theme == "light" and page.locator("#map").count():
                    checks.check_keyboard(page, name, failures)
                    checks.check_ring(page, name, failures)
                if limits:
                    checks.check_limits(page, name, limits, failures)
            times.append(opened.ready)
    name = report.stem
    with Opened(browser, report, name, failures) as page:
        size = report.stat().st_size
        failures.expect(size <= 500_000, f"{name}: {size} bytes, expected at most 500,000")
        if layouts:
            checks.check_first_screen(page, name, failures)
            checks.check_sort(page, name, failures)
        if diff:
            checks.check_verdict(page, name, diff, layouts, failures)
            checks.check_owners(page, name, failures)
            checks.check_map(page, name, layouts, failures)
            checks.check_shapes(page, name, layouts, failures)
            checks.check_drawer(page, name, diff, layouts, failures)
            checks.check_faults(page, name, layouts, [faults(report, layout) for layout in layouts], failures)
            checks.check_slow_launch(page, name, failures)
            checks.check_medians(page, name, failures)
        if page.locator("#map").count():
            checks.check_zooms(page, name, failures)
            checks.check_icicle(page, name, failures)
        if "hostile" in page.title() or "small" in name:
            checks.check_hostile(page, name, failures)
    with Opened(browser, report, f"{name}, forced colours", failures, forced_colors="active") as page:
        checks.check_colours(page, f"{name}, forced colours", failures)
    with Opened(browser, report, f"{name}, 320 pixels", failures, (320, 640)) as page:
        checks.check_axe(page, f"{name}, 320 pixels", failures)
    with Opened(browser, report, f"{name}, print", failures) as page:
        checks.check_print(page, name, failures)
    if layouts:
        with Opened(browser, report, f"{name}, on paper", failures, color_scheme="dark") as page:
            checks.check_printed_map(page, name, failures)
    print(f"{name}: {size} bytes, ready after {min(times):.0f} to {max(times):.0f} ms")


def take(page, folder, name):
    page.screenshot(path=folder / f"{name}-screen.png")
    page.screenshot(path=folder / f"{name}.png", full_page=True)
    page.add_style_tag(content=".readout, nav { position: static !important }")
    for view in ("map", "bytes", "limits"):
        if page.locator(f"#{view}").count():
            page.locator(f"#{view}").screenshot(path=folder / f"{name}-{view}.png")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("reports", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    failures = checks.Failures()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for report in options.reports:
            check(browser, report, options, failures)
        browser.close()
    if failures.found:
        print(f"test-report.py: {len(failures.found)} failures", file=sys.stderr)
    sys.exit(1 if failures.found else 0)


main()
