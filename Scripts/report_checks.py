"""Checks reports in a browser: their contents, against the documents, and their controls."""

import re
import subprocess
import tempfile

from axe_playwright_python.sync_playwright import Axe

from report_truth import visible

# Moves through a strip with the arrow keys from its first cell, by at most `most` cells. Returns what a screen reader
# says at each cell.
WALK = """([strip, most]) => {
  const node = document.querySelector(strip);
  const press = (key) => node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const words = () => node.getAttribute("aria-valuetext");
  node.focus();
  press("Home");
  const said = [words()];
  while (said.length < most) {
    press("ArrowRight");
    if (words() === said.at(-1)) break;
    said.push(words());
  }
  return said;
}"""

# Points at each place of a strip where a cell may be, and returns the words and the drawing at each place.
POINT = """(strip) => {
  const [canvas, overlay] = ["canvas", ".overlay"].map((one) => document.querySelector(`${strip} ${one}`));
  const readout = document.querySelector(".readout");
  const box = overlay.getBoundingClientRect();
  const scale = canvas.width / box.width;
  const image = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const colour = (x, y) => {
    const at = (Math.round(y * scale) * image.width + Math.round(x * scale)) * 4;
    return [...image.data.slice(at, at + 3)].join();
  };
  const cells = new Map();
  for (let y = 0; y < box.height; y++)
    for (let x = 5; x < box.width; x += 13) {
      overlay.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + x, clientY: box.top + y, bubbles: true }));
      const text = readout.textContent;
      const page = /page (0x[0-9a-f]+)/i.exec(text)?.[1];
      if (!page || cells.has(page) || text.startsWith("Point")) continue;
      // The first row of the cell is its edge; then come the level and the shape.
      const column = [];
      for (let row = 0; row < 14; row++) column.push(colour(x - 4 + 1.2, y + row + 0.2));
      const inside = new Set();
      for (let row = 1; row < 13; row++)
        for (let at = -3; at < 5; at++) inside.add(colour(x + at, y + row + 0.2));
      cells.set(page, { text, column, colours: inside.size, edge: colour(x, y + 0.2), middle: colour(x + 0.5, y + 7.2) });
    }
  overlay.dispatchEvent(new PointerEvent("pointerleave", { bubbles: true }));
  return [...cells];
}"""

# The content of the open drawer.
DRAWER = """() => {
  const drawer = document.getElementById("drawer");
  drawer.querySelectorAll(".tools button").forEach((one) => one.textContent.startsWith("Show") && one.click());
  const terms = [...drawer.querySelectorAll("dt")].map((one) => [one.textContent, one.nextElementSibling.textContent]);
  return {
    heading: drawer.querySelector("h2").textContent,
    facts: Object.fromEntries(terms),
    rows: [...drawer.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)),
  };
}"""


class Failures:
    def __init__(self):
        self.found = []

    def expect(self, condition, words):
        if not condition:
            self.found.append(words)
            if len(self.found) <= 50:
                print(f"test-report.py: {words}"[:2000])


def number(text):
    return int(text.replace(",", ""))


def check_verdict(page, name, diff, layouts, failures):
    text = page.locator("#verdict").inner_text()
    for view, kind in (("verdict", "measured"), ("method", "predicted")):
        counts = [f"{layout.counts[kind]:,}" for layout in layouts]
        row = page.locator(f"#{view} tbody tr").first.locator("td").all_inner_texts()
        failures.expect(row[1:3] == counts, f"{name}: #{view} has {row}, expected {kind} {counts}")
    strips = page.locator("#map .strip > p").all_inner_texts()
    for layout, strip in zip(layouts, strips, strict=True):
        pages = layout.counts["predicted"]
        words = f"predicted to touch {pages:,} page{'' if pages == 1 else 's'}."
        failures.expect(words in strip, f"{name}: the map {layout.side} says '{strip}', expected '{words}'")
    label = page.locator("#curve svg[aria-label^='Pages touched']").get_attribute("aria-label")
    for layout in layouts:
        failures.expect(f"{layout.side} {layout.counts['predicted']}" in label, f"{name}: the curve says '{label}'")
    floor = page.locator("#method tbody tr", has_text="floor:").locator("td").nth(2).inner_text()
    failures.expect(floor == f"{diff['after']['floorPages']:,}", f"{name}: the floor is '{floor}'")
    for layout in layouts:
        failures.expect(
            diff[layout.side]["id"] in text, f"{name}: the verdict lacks the image ID {diff[layout.side]['id']}"
        )


def shape(words):
    """The name of the page's shape, one of five."""
    if words in ("not touched", "only predicted"):
        return words
    return "as predicted" if words.endswith("as predicted") else "executed" if words.startswith("executed") else "read"


def check_owners(page, name, failures):
    """Checks that a function has the same owner in both layouts."""
    moved = page.evaluate("""async () => {
      const { layouts, names } = new Report(await readData());
      const [before, after] = layouts.map(({ functions }) => {
        const owners = new Map();
        functions.forEach((one) => owners.set(one.number, owners.has(one.number) ? null : one.owner));
        return owners;
      });
      const both = [...before].filter(([name, owner]) => name >= 0 && owner !== null && after.get(name) != null);
      return [both.length, both.filter(([name, owner]) => after.get(name) !== owner)
        .map(([name, owner]) => [names[name], names[owner], names[after.get(name)]])];
    }""")
    failures.expect(
        moved[0] > 0 and not moved[1], f"{name}: {len(moved[1])} of {moved[0]} functions change owners: {moved[1][:5]}"
    )


def check_map(page, name, layouts, failures):
    """Checks that the words and the drawing of each cell in both strips agree with the documents."""
    # Between cells, the readout describes the chosen page. So all places are pointed at before a page is chosen.
    pointed = {layout.side: dict(page.evaluate(POINT, f"#strip-{layout.side}")) for layout in layouts}
    kinds = {}
    for layout in layouts:
        cells = pointed[layout.side]
        said = page.evaluate(WALK, [f"#strip-{layout.side}", 100_000])
        failures.expect(
            len(cells) == len(said) == len(set(said)),
            f"{name}: {len(cells)} cells {layout.side} are drawn, the arrow keys reach {len(said)}",
        )
        missing = {hex(one) for one in layout.executed | layout.predicted | set(layout.touches)} - set(cells)
        failures.expect(not missing, f"{name}: no cell {layout.side} for {sorted(missing)[:5]}")
        pale = [cell for address, cell in cells.items() if layout.words(int(address, 16)) == "not touched"]
        for address, cell in cells.items():
            start = int(address, 16)
            words = layout.words(start)
            place = f"{name}: page {address} {layout.side}"
            failures.expect(
                f": {words}" in cell["text"] and cell["text"] in said,
                f"{place}: expected '{words}', found '{cell['text']}'",
            )
            same = [
                one
                for one in pale
                if one["edge"] == cell["edge"] and one["colours"] == 1 and one["middle"] == cell["middle"]
            ]
            failures.expect(
                (words == "not touched") == bool(same and cell["colours"] == 1),
                f"{place}: '{words}' is drawn as if it were not",
            )
            kinds.setdefault(shape(words), set()).add((cell["edge"], cell["colours"] > 2))
            bytes_said = re.search(r"; ([0-9,]+) bytes? of startup code", cell["text"])
            if not bytes_said:
                continue
            share = number(bytes_said[1]) / 4096
            failures.expect(
                number(bytes_said[1]) >= layout.startup_bytes(start),
                f"{place}: {bytes_said[1]} startup bytes, its functions have {layout.startup_bytes(start)}",
            )
            if words == "executed, as predicted":
                level = sum(colour == cell["edge"] for colour in cell["column"][1:13])
                failures.expect(
                    abs(level - share * 12) <= 1.5, f"{place}: the level is {level} of 12, expected {share * 12:.1f}"
                )
    # Each of the five shapes is drawn in one way, and no two in the same way.
    drawn = [one for looks in kinds.values() for one in looks]
    failures.expect(len(drawn) == len(set(drawn)) == len(kinds), f"{name}: shapes are drawn as {kinds}")


# The shape of each cell at each zoom, and the key at this zoom.
SHAPES_OF_ZOOMS = """async () => {
  const report = new Report(await readData());
  const found = [];
  for (const input of document.querySelectorAll("input[name=zoom]")) {
    input.click();
    const key = [...document.querySelector("#map ul.key").children].filter((one) => !one.hidden).map((one) => one.textContent);
    for (const layout of report.layouts) {
      const { cells } = new Grid(layout, Number(input.value), 80);
      found.push({ zoom: Number(input.value), side: layout.side, base: Number(layout.base), key,
                   cells: cells.map(({ start, end, shape }) => [start, end, shape]) });
    }
  }
  return found;
}"""


def check_shapes(page, name, layouts, failures):
    """Checks that at each zoom each cell has the shape that the documents ask for, and the key has the right words."""
    for found in page.evaluate(SHAPES_OF_ZOOMS):
        layout = next(one for one in layouts if one.side == found["side"])
        zoom, place = found["zoom"], f"{name}: {found['zoom']} bytes, {found['side']}"
        is_part = zoom < 4096
        drawn = {}
        for start, end, shape in found["cells"]:
            start, end = start + found["base"], end + found["base"]
            allowed = layout.shapes(start, end, is_part)
            failures.expect(shape in allowed, f"{place}: the cell at {start:#x} is {shape}, expected {sorted(allowed)}")
            drawn.setdefault(start // 4096 * 4096, set()).add(shape)
        for start in layout.predicted if is_part else ():
            failures.expect(
                drawn[start] & {"full", "hatched"}, f"{place}: nothing predicted is drawn on page {start:#x}"
            )
        words = "nothing predicted here" if is_part else "not touched"
        failures.expect(words in found["key"], f"{place}: the key lacks '{words}': {found['key']}")
        is_told = any(one.startswith("a cell of several pages") for one in found["key"])
        failures.expect(is_told == (zoom > 4096), f"{place}: the key is {found['key']}")
    page.locator("input[name=zoom][value='4096']").check()
    page.evaluate("location.hash = ''")


def check_drawer(page, name, diff, layouts, failures):
    """Checks all fields of the drawer for some pages: evenly chosen pages, and the first unusual pages."""
    for layout in layouts:
        other = next(one for one in layouts if one is not layout)
        touched = sorted(layout.executed | layout.predicted)
        unusual = [one for one in touched if one in layout.differences or len(layout.sections_on(one)) > 1]
        chosen = sorted(set(touched[:: max(1, len(touched) // 12)] + unusual[:12]))
        with_functions = 0
        for start in chosen:
            page.evaluate("(hash) => { location.hash = hash; }", f"page={start:#x}&side={layout.side}&drawer=open")
            page.wait_for_function(
                "(start) => document.querySelector('#drawer h2')?.textContent.startsWith(`Page ${start},`)",
                arg=hex(start),
            )
            drawer = page.evaluate(DRAWER)
            facts, place = drawer["facts"], f"{name}: drawer of {start:#x} {layout.side}"
            failures.expect(
                drawer["heading"] == f"Page {start:#x}, {layout.side}", f"{place}: heading '{drawer['heading']}'"
            )
            failures.expect(
                facts["Section"].split(",")[0] in layout.sections_on(start), f"{place}: section '{facts['Section']}'"
            )
            expected = sorted(
                ("from before" if address < start else f"+{address - start:x}", f"{size:,}", label)
                for address, size, label in layout.functions_on(start)
            )
            names = {label for *_, label in expected}
            rows = [row for row in drawer["rows"] if row[-1] in names]
            addresses = {(row[0]) for row in rows}
            # Aliases are one function of the report.
            failures.expect(
                addresses == {row[0] for row in expected}
                and {(row[0], row[1], row[-1]) for row in rows} <= set(expected),
                f"{place}: not both shown and expected: {sorted({(row[0], row[1], row[-1]) for row in rows} ^ set(expected))[:6]}",
            )
            with_functions += len(rows) > 0
            steps = []
            for row in rows:
                used = row[-1] in layout.used
                if row[-1] in layout.ambiguous:
                    continue
                failures.expect(
                    (row[2] == "not used") == (not used), f"{place}: {row[-1]} is '{row[2]}', diff uses it: {used}"
                )
                if used and row[2].startswith("#"):
                    steps.append((layout.order[row[-1]], number(re.match(r"#([0-9,]+)", row[2])[1])))
            if len({label for label, _ in steps}) == len(steps):
                ranks = [step for _, step in sorted(steps)]
                failures.expect(
                    ranks == sorted(ranks), f"{place}: first uses {sorted(steps)} are not in the order of diff"
                )
            why = facts["Why touched"]
            for touch in layout.touches.get(start, []):
                function = touch.get("function") or "code without a symbol"
                symbol = touch.get("symbol", function)
                at = "" if symbol == function else f", at {visible(symbol)}"
                failures.expect(
                    f"by {visible(function)}{at}, as touch {touch['step'] + 1:,} of" in why,
                    f"{place}: '{why}' lacks {touch}",
                )
            difference = layout.differences.get(start)
            failures.expect(("Only " in why) == (difference is not None), f"{place}: '{why}', diff has {difference}")
            if difference and difference.get("function"):
                failures.expect(difference["function"] in why, f"{place}: '{why}' lacks {difference['function']}")
            failures.expect(
                ("Predicted: " in why) == (start in layout.predicted),
                f"{place}: '{why}', predicted: {start in layout.predicted}",
            )
            run, of = map(number, facts.get("Startup code", "0 of 4,096 bytes").removesuffix(" bytes").split(" of "))
            own = layout.startup_bytes(start)
            is_own = "Predicted: " not in why.replace("startup function", "", 1) or re.findall(
                "Predicted: [0-9]", why
            ) == re.findall("Predicted: .", why)
            failures.expect(
                of == 4096 and run >= own and (run == own or not is_own or layout.is_ambiguous(start)),
                f"{place}: {run} startup bytes, expected {own}",
            )
            remedy = facts.get("To save it", "")
            if layout.sections_on(start) & {".plt", ".init", ".fini"} and ".plt" in facts["Section"] + why:
                failures.expect(not remedy.startswith(("Move", "Order")), f"{place}: promises '{remedy}'")
            if any(one["access"] != "execute" for one in layout.touches.get(start, [])):
                failures.expect(not remedy.startswith(("Move", "Order")), f"{place}: is read, and promises '{remedy}'")
            moved = {address // 4096 * 4096 for address, _, label in other.functions if label in names & layout.used}
            shown = {int(one, 16) for one in re.findall("0x[0-9a-f]+", facts.get(f"Its code {other.side}", ""))}
            failures.expect(
                shown <= moved and (len(shown) == len(moved) or len(moved) > 12 or len(shown) > 0),
                f"{place}: its code is at {sorted(map(hex, shown))}, expected {sorted(map(hex, moved))}",
            )
        failures.expect(
            with_functions >= len(chosen) // 2,
            f"{name}: {with_functions} of {len(chosen)} drawers {layout.side} had functions",
        )
    page.keyboard.press("Escape")


def check_faults(page, name, layouts, listed, failures):
    """Checks page faults in the timeline, the curve and the drawer.

    `listed` has all faults of each layout, and the faults of its image by page.
    """
    labels = page.locator("#timeline svg[aria-label^='Page faults over']").evaluate_all(
        "(charts) => charts.map((chart) => chart.getAttribute('aria-label'))"
    )
    failures.expect(len(labels) == len(layouts), f"{name}: {len(labels)} timelines of faults")
    for label, (faults, _) in zip(labels, listed):
        for kind in ("major", "minor"):
            shown = sum(map(int, re.findall(f"([0-9]+) {kind}", label)))
            failures.expect(
                shown == sum(one["kind"] == kind for one in faults), f"{name}: '{label}' of {len(faults)} faults"
            )
    counts = {
        "image": [sum(map(len, pages.values())) for _, pages in listed],
        "all": [len(faults) for faults, _ in listed],
        "major": [sum(one["kind"] == "major" for one in faults) for faults, _ in listed],
    }
    for choice, expected in counts.items():
        page.locator(f"#curve input[name=faults][value={choice}]").check()
        label = page.locator("#curve svg[aria-label*=measured]").get_attribute("aria-label")
        shown = [int(one) for one in re.findall(r" ([0-9]+)(?:,|$)", label)]
        failures.expect(shown == expected, f"{name}: '{label}', expected {expected}")
    for layout, (_, pages) in zip(layouts, listed):
        for start in sorted(pages)[:8] + sorted(set(layout.touches) - set(pages))[:4]:
            page.evaluate("(hash) => { location.hash = hash; }", f"page={start:#x}&side={layout.side}&drawer=open")
            page.wait_for_function(
                "(start) => document.querySelector('#drawer h2')?.textContent.startsWith(`Page ${start},`)",
                arg=hex(start),
            )
            text = page.evaluate(DRAWER)["facts"].get("Faulted", "")
            place = f"{name}: drawer of {start:#x} {layout.side}"
            failures.expect(bool(text) == (start in pages), f"{place}: '{text}', {len(pages.get(start, []))} faults")
            if not text or start not in pages:
                continue
            shown = [float(one) for one in re.findall(r"at ([0-9.]+) ms", text)]
            expected = [one["nanoseconds"] / 1e6 for one in pages[start][:4]]
            failures.expect(
                len(shown) == len(expected) and all(abs(a - b) < 0.06 for a, b in zip(shown, expected)),
                f"{place}: '{text}', expected {expected}",
            )
            kinds = [one["kind"] for one in pages[start][:4]]
            failures.expect(re.findall(r"\((major|minor),", text) == kinds, f"{place}: '{text}', expected {kinds}")
    page.keyboard.press("Escape")


def check_first_screen(page, name, failures):
    """Without scrolling, a reader sees the sentence, the next step and the small maps of all layouts."""
    page.evaluate("window.scrollTo(0, 0)")
    for part in (".summary", ".next", ".overview a:last-of-type canvas"):
        box = page.locator(f"#verdict {part}").bounding_box()
        below = box and box["y"] + box["height"] - 800
        failures.expect(box and below <= 0, f"{name}: {part} of the verdict ends {below} pixels below the screen")
    page.locator("#verdict .overview a").last.press("Enter")
    focused = page.evaluate("document.activeElement.id")
    failures.expect(focused == "map-title", f"{name}: a small map leads to '{focused}'")
    page.evaluate("location.hash = ''")


# The numbers of a column, in the order of the rows.
COLUMN = "(one) => [...one.querySelectorAll('tbody tr')].map((row) => parseFloat(row.cells[1].textContent.replaceAll(',', '')))"


def check_sort(page, name, failures):
    """The heading of a column of numbers sorts all rows, first from the largest number down, then up."""
    page.evaluate("document.querySelectorAll('#curve details').forEach((one) => (one.open = true))")
    table = page.locator("#curve table").first
    table.wait_for()
    heading = table.get_by_role("button", name="pages")
    heading.click()
    down = table.evaluate(COLUMN)
    heading.press("Enter")
    up = table.evaluate(COLUMN)
    states = table.locator("th[aria-sort]").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-sort'))")
    failures.expect(
        down == sorted(down, reverse=True) and up == sorted(up) and states == ["ascending"],
        f"{name}: sorted {down[:4]}, then {up[:4]}, {states}",
    )


def check_zooms(page, name, failures):
    """Checks that at each zoom the arrow keys move from cell to cell, and the last cell is on the last page."""
    strip = page.locator("[role=slider]").last
    pages = int(strip.get_attribute("aria-valuemax")) + 1
    for zoom in page.locator("input[name=zoom]").all():
        size = int(zoom.get_attribute("value"))
        is_chosen = zoom.is_checked()
        zoom.check()
        failures.expect(is_chosen or f"zoom={size}" in page.url, f"{name}: the address lacks zoom={size}")
        strip.focus()
        page.keyboard.press("Home")
        # A page has this many cells, so this many steps lead to the next page.
        for _ in range(max(1, 4096 // size)):
            page.keyboard.press("ArrowRight")
        now = int(strip.get_attribute("aria-valuenow"))
        failures.expect(1 <= now <= max(1, size // 4096), f"{name}: the arrow keys lead to page {now} at {size} bytes")
        page.keyboard.press("End")
        last = int(strip.get_attribute("aria-valuenow"))
        failures.expect(
            pages - max(1, size // 4096) <= last < pages, f"{name}: End leads to page {last} of {pages} at {size} bytes"
        )
        if size > 4096:
            cells = page.evaluate(WALK, [f"#{strip.get_attribute('id')}", 100_000])
            least = pages * 4096 // size
            failures.expect(
                least <= len(cells) <= least + 40, f"{name}: {len(cells)} cells of {size} bytes for {pages} pages"
            )
    page.locator("input[name=zoom][value='4096']").check()
    page.evaluate("location.hash = ''")


def check_axe(page, name, failures):
    for phase in ("closed", "open"):
        if phase == "open":
            if page.locator("[role=slider]").count() == 0:
                break
            strip = page.locator("[role=slider]").last
            strip.focus()
            page.keyboard.press("Home")
            page.keyboard.press("]")
            page.keyboard.press("Enter")
            page.wait_for_selector("#drawer:not([hidden])")
        page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = true))")
        page.wait_for_timeout(100)
        results = Axe().run(page)
        failures.expect(results.violations_count == 0, f"{name}, drawer {phase}: {results.generate_report()}")
        check_width(page, f"{name}, drawer {phase}", failures)
    page.keyboard.press("Escape")
    page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = false))")


def check_width(page, name, failures):
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    failures.expect(wide <= 0, f"{name}: scrolls sideways by {wide} pixels")


def tab_stops(page):
    """The ids of the sections that the focus reaches from the top with Tab alone."""
    page.evaluate("window.scrollTo(0, 0); document.querySelector('.skip').focus()")
    seen, first = set(), None
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
        seen.add(place[0])
    return seen


def check_keyboard(page, name, failures):
    focused = "document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.tagName"
    strip = page.locator("[role=slider]").last
    strip.focus()
    for key in ("Home", "]", "Enter"):
        page.keyboard.press(key)
    failures.expect(page.evaluate(focused) == "H2", f"{name}: Enter does not move the focus to the drawer")
    address = page.url
    page.keyboard.press("]")
    is_last = page.get_by_role("button", name="Touched page after").is_disabled()
    failures.expect(page.url != address or is_last, f"{name}: ] in the drawer does not turn the page")
    page.keyboard.press("[")
    turn = page.get_by_role("button", name="Touched page after")
    turn.focus()
    page.keyboard.press("Enter")
    expected = "Touched page after" if turn.is_enabled() else "H2"
    failures.expect(
        page.evaluate(focused) == expected, f"{name}: the focus is on {page.evaluate(focused)} after turning a page"
    )
    page.keyboard.press("Escape")
    failures.expect(page.locator("#drawer").is_hidden(), f"{name}: Escape leaves the drawer open")
    failures.expect(
        page.evaluate(focused) == strip.get_attribute("id"),
        f"{name}: the focus is on {page.evaluate(focused)} after Escape",
    )
    views = page.eval_on_selector_all("main > section", "sections => sections.map((one) => one.id)")
    failures.expect(len(views) >= 3, f"{name}: expected at least three views, found {views}")
    reached = tab_stops(page)
    for view in views:
        has_controls = page.query_selector_all(
            f"#{view} :is(a, button, input, select, summary, [tabindex='0']):not([hidden])"
        )
        failures.expect(
            view in reached or not has_controls, f"{name}: Tab does not reach view '{view}', only {sorted(reached)}"
        )
    # Each address is one state. A link to a view keeps the reader's choices.
    page.evaluate("location.hash = '#zoom=16384&colour=time'")
    failures.expect(
        page.locator("input[name=zoom][value='16384']").is_checked(), f"{name}: the address does not set the zoom"
    )
    failures.expect(
        page.locator("input[name=colour][value='time']").is_checked(), f"{name}: the address does not set the colour"
    )
    page.locator("#views a", has_text="Method").click()
    failures.expect(
        "zoom=16384" in page.url and page.evaluate(focused) == "method-title", f"{name}: {page.url[-60:]} after a link"
    )
    page.evaluate("location.hash = '#verdict'")
    failures.expect(page.evaluate(focused) == "verdict-title", f"{name}: #verdict does not lead to the verdict")
    page.keyboard.press("/")
    failures.expect(page.evaluate(focused) == "find", f"{name}: '/' does not focus the search")
    page.keyboard.type("main")
    page.wait_for_function("() => document.getElementById('found').textContent.includes('found')")
    results = page.locator("#results li")
    failures.expect(
        results.count() > 0 and page.locator(".chart .found").count() >= 0, f"{name}: the search finds nothing"
    )
    best = results.first.inner_text()
    failures.expect(re.match(r"0x[0-9a-f]+ main( |$)", best), f"{name}: the best match of 'main' is '{best}'")
    page.locator("#results button").first.click()
    failures.expect(page.locator("#drawer h2").is_visible(), f"{name}: a result opens no page")
    page.keyboard.press("Escape")
    page.locator("#find").fill("")


def check_hostile(page, name, failures):
    """Checks that names can't end the script, begin an element or move the cursor of a terminal."""
    page.locator("#find").fill("</script>")
    page.wait_for_function("() => document.getElementById('results').textContent.includes('</script>')")
    page.locator("#results button").first.click()
    rows = page.evaluate(DRAWER)["rows"]
    failures.expect(
        any("</script><b>'\"&" in row[-1] for row in rows), f"{name}: the drawer lacks the hostile name: {rows}"
    )
    failures.expect(
        any("ansi\ufffd[1m" in row[-1] for row in rows),
        f"{name}: the drawer lacks the name with a control byte: {rows}",
    )
    failures.expect(page.locator("#drawer b").count() == 0, f"{name}: a name became an element")
    copied = page.evaluate("inMarkdown([column('a|b', (one) => one)], ['x|y `z` <b> \\\\ *c* [d](e) & \\u001b'])")
    failures.expect(
        copied.splitlines()[2] == "| x\\|y \\`z\\` \\<b\\> \\\\ \\*c\\* \\[d\\]\\(e\\) &amp; \ufffd |",
        f"{name}: Markdown {copied!r}",
    )
    page.keyboard.press("Escape")
    page.locator("#find").fill("")


def check_colours(page, name, failures):
    """Checks that with forced colours touched and untouched cells still differ, and bars from their surroundings."""
    for strip in page.locator("[role=slider]").all():
        cells = page.evaluate(POINT, f"#{strip.get_attribute('id')}")
        drawn = {(cell["edge"], cell["middle"], cell["colours"]) for _, cell in cells}
        failures.expect(len(drawn) > 1, f"{name}: all {len(cells)} cells look the same: {drawn}")
    colours = page.evaluate("""[['.icicle [role=treeitem] > .used', '.icicle [role=treeitem]:has(.used)'], ['.limits .fill', 'body']]
      .map((pair) => pair.map((one) => document.querySelector(one))).filter((pair) => pair.every(Boolean))
      .map((pair) => pair.map((one) => getComputedStyle(one).backgroundColor))""")
    for part, around in colours:
        failures.expect(part != around, f"{name}: a bar has the colour of what is around it, {part}")


# The blocks of the icicle: their drawing and their words.
BLOCKS = """() => [...document.querySelectorAll('.icicle [role=treeitem]')].map((node) => ({
  words: node.getAttribute('aria-label'),
  level: Number(node.getAttribute('aria-level')),
  height: parseFloat(node.style.height),
  used: parseFloat(node.querySelector('.used')?.style.width ?? '0'),
  labels: [...node.querySelectorAll('.label')].map((one) => [one.textContent, one.scrollWidth - one.clientWidth]),
}))"""


def check_icicle(page, name, failures):
    """Checks the heights of blocks (bytes), their fill (the used share), marks of cut names, and the arrow keys."""
    tree = page.locator(".icicle[role=tree]")
    blocks = page.evaluate(BLOCKS)
    height = tree.evaluate("(one) => one.clientHeight")
    total = sum(one["height"] for one in blocks if one["level"] == 1)
    failures.expect(abs(total - height) <= 2, f"{name}: the first column of the icicle is {total} of {height} high")
    for block in blocks:
        share = re.search(r"(\d+)% used", block["words"])
        if share:
            failures.expect(
                abs(int(share[1]) - block["used"]) <= 1, f"{name}: {block['words']} is drawn as {block['used']}%"
            )
        failures.expect(
            block["height"] >= 15 or "smaller" in block["words"] or "does not touch" in block["words"],
            f"{name}: {block['words']} is {block['height']} high",
        )
        for label, beyond in block["labels"]:
            failures.expect(beyond <= 1, f"{name}: '{label}' of {block['words']} is cut off")
    tree.focus()

    def chosen():
        return page.locator("#" + tree.get_attribute("aria-activedescendant")).get_attribute("aria-label")

    for key in ("Home", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    failures.expect(
        chosen() == blocks[0]["words"], f"{name}: the keys lead to {chosen()}, not back to {blocks[0]['words']}"
    )
    failures.expect(
        page.locator(".reading").inner_text().startswith(blocks[0]["words"]),
        f"{name}: the line below the icicle says something else",
    )
    page.keyboard.press("Enter")
    failures.expect("owner=" in page.url, f"{name}: Enter does not zoom: {page.url[-60:]}")
    page.keyboard.press("Escape")
    failures.expect("owner=" not in page.url, f"{name}: Escape does not go back: {page.url[-60:]}")


RANKS = ["fail", "inconclusive", "pass", "already in the base", "no baseline"]


def check_limits(page, name, check, failures):
    """Checks that the verdict first says whether the budget is kept, and that the bar of each limit agrees."""
    outcomes = [one["outcome"] for one in check["limits"]]
    # A row has all demands of a line of the budget on a figure, and says the worst outcome.
    figures = {}
    for one in check["limits"]:
        key = tuple(one.get(member) for member in ("line", "metric", "image", "pageSizeBytes", "state"))
        figures.setdefault(key, []).append(one)
    worst = [min((one["outcome"] for one in limits), key=RANKS.index) for limits in figures.values()]
    first = page.locator("#verdict > p").first.inner_text()
    words = {
        "fail": "Failed. ",
        "inconclusive": "Undecided. ",
        "no baseline": "Passed, as far as checked. ",
        "pass": "Passed. ",
    }
    failures.expect(first.startswith(words[check["outcome"]]), f"{name}: the verdict begins with '{first}'")
    if check["outcome"] == "fail":
        failures.expect(
            f"{outcomes.count('fail'):,} of {len(outcomes):,} limits" in first,
            f"{name}: the verdict does not count the failures: '{first}'",
        )
        failures.expect(
            "failed" in page.locator("#views").inner_text(),
            f"{name}: the link to the limits does not say that some failed",
        )
    page.evaluate("document.querySelectorAll('#limits details').forEach((one) => (one.open = true))")
    text = page.locator("#limits").inner_text()
    for image in check["images"]:
        failures.expect(
            image["image"] in text and image.get("id", "") in text, f"{name}: the limits do not name {image['image']}"
        )
    page.wait_for_function(
        "(count) => document.querySelectorAll('.limits > li').length >= count", arg=min(12, len(worst))
    )
    rows = [row.split("\n")[0] for row in page.locator(".limits > li").all_inner_texts()]
    shown = {"fail": "Failed", "inconclusive": "Undecided", "no baseline": "No baseline", "pass": "Kept"}
    shown["already in the base"] = "As in the base"
    for outcome, word in shown.items():
        expected = worst.count(outcome)
        found = sum(row.startswith(word) for row in rows)
        failures.expect(
            found == expected or 12 <= found < expected, f"{name}: {found} rows of {expected} figures say '{word}'"
        )
    failures.expect(
        rows
        == sorted(
            rows,
            key=lambda row: next(
                place
                for place, word in enumerate(("Failed", "Undecided", "Kept", "As in", "No"))
                if row.startswith(word)
            ),
        ),
        f"{name}: the limits are not in the order of their outcomes",
    )
    # A limit of "+2" is two beyond the base. A bar without negative values begins at 0.
    counted = [one for one in check["limits"] if one.get("base") and not one.get("againstBase", "%").endswith("%")]
    bases = [one["base"] for one in counted]
    bounds = [one["base"] + int(one["againstBase"]) for one in counted]
    drawn = page.evaluate("""[...document.querySelectorAll('.limits .gauge')].filter((one) => one.querySelector('.base'))
      .map((one) => ['bound', 'base'].map((name) => [...one.querySelectorAll('.' + name)].map((line) => parseFloat(line.style.left))))""")
    for lines, [base] in drawn:
        near = any(abs(bound * b - base * a) < 0.02 * (a + b) for bound in lines for a, b in zip(bounds, bases))
        failures.expect(not bounds or near, f"{name}: limits are drawn at {lines}% with their base at {base}%")
    most = max(map(len, figures.values()), default=0)
    demands = page.locator(".limits .numbers").all_inner_texts()
    failures.expect(
        most < 2 or any(text.count(" (") >= most for text in demands),
        f"{name}: no row has {most} limits: {demands[:3]}",
    )
    failures.expect(len(drawn) >= min(12, len(bounds)), f"{name}: {len(drawn)} bars have a base, {len(bounds)} limits")
    # No line has only one word: even the narrowest text has room for a figure's name.
    narrow = page.evaluate(
        "[...document.querySelectorAll('.limits .subject, .limits .numbers')].filter((one) => one.clientWidth < 120).length"
    )
    failures.expect(narrow == 0, f"{name}: {narrow} texts of limits are narrower than 120 pixels")


# The page at the middle of the ring that a strip shows; null if the strip has no ring, or no page is there.
RING = """(strip) => {
  const overlay = document.querySelector(`${strip} .overlay`);
  const ring = overlay.querySelector(".cursor")?.getBoundingClientRect();
  if (!ring) return null;
  const [clientX, clientY] = [ring.left + ring.width / 2, ring.top + ring.height / 2];
  overlay.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true }));
  return /page (0x[0-9a-f]+)/i.exec(document.querySelector(".readout").textContent)?.[1] ?? null;
}"""

# The page of the last cell in the longest row of a strip, and the middle of the cell.
LAST_CELL = """async (strip) => {
  const report = new Report(await readData());
  const { namesOfOwners } = new PageMap(report, new State());
  const layout = report.layouts.find(({ side }) => strip === `#strip-${side}`);
  const columns = Math.round(document.querySelector(`${strip} .overlay`).getBoundingClientRect().width / (WIDTH + GAP));
  const cell = new Grid(layout, layout.pageSize, columns, namesOfOwners).cells.reduce((a, b) => (b.x > a.x ? b : a));
  return { page: layout.pageAddress(cell.page), position: { x: cell.x + WIDTH / 2, y: cell.y + HEIGHT / 2 } };
}"""


def check_ring(page, name, failures):
    """A click at the right end of a strip opens the drawer. The strip may get narrower, and the ring stays around the page."""
    strip = page.locator(".strip [role=slider]").first
    side = "#" + strip.get_attribute("id")
    last = page.evaluate(LAST_CELL, side)
    page.locator(f"{side} .overlay").click(position=last["position"])
    page.wait_for_selector("#drawer:not([hidden])")
    page.wait_for_timeout(200)
    heading = page.locator("#drawer h2").text_content()
    failures.expect(last["page"] in heading, f"{name}: a click on page {last['page']} opens '{heading}'")
    ringed = page.evaluate(RING, side)
    failures.expect(
        ringed == last["page"], f"{name}: the drawer is about page {last['page']}, the ring is around {ringed}"
    )
    wide = page.evaluate("""[...document.querySelectorAll('#drawer .scroll')]
      .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => `${one.scrollWidth} in ${one.clientWidth}`)""")
    failures.expect(not wide, f"{name}: tables wider than the drawer: {wide}")
    page.keyboard.press("Escape")
    page.evaluate("location.hash = ''")


# For each measured build, the median of its wall times as the page computes it, and as `measure` states it. Then the words for
# the launches of two builds: for equal numbers of launches, and for different numbers.
MEDIANS = """async () => {
  const { measure } = (await readData()).documents;
  const sides = measure.states.flatMap((state) => state.sides);
  const medians = sides.map((side) => [median(side.launches.map((one) => one.wallNanoseconds)), side.wallNanoseconds.median]);
  const [side] = sides;
  return { medians, equal: launchesOfSides([side, side]), other: launchesOfSides([side, { launches: side.launches.slice(1) }], "cold") };
}"""


def check_medians(page, name, failures):
    found = page.evaluate(MEDIANS)
    for computed, stated in found["medians"]:
        failures.expect(abs(computed - stated) <= 1, f"{name}: the median is {computed}, measure states {stated}")
    failures.expect(
        found["equal"] == "10 launches of each", f"{name}: ten launches of two builds are '{found['equal']}'"
    )
    failures.expect(found["other"] == "10 and 9 cold launches", f"{name}: ten and nine launches are '{found['other']}'")


# Adds a launch that takes fifty times as long as a launch of the report. For the fault curve and for the timeline of faults:
# where the first curve or lane ends, as a share of the chart's width, and the text beside the chart.
SLOW_LAUNCH = """async () => {
  const stored = await readData();
  const launch = stored.faults.find((one) => one.nanoseconds.length);
  stored.faults.push({
    ...launch, path: "slow.json", nanoseconds: launch.nanoseconds.map((one) => one * 50), wallNanoseconds: launch.wallNanoseconds * 50
  });
  const report = new Report(stored);
  return [measuredCurves(report, null, new State()), faultsOfLaunches(report, null, new State())].map((node) => {
    const chart = node.querySelector("svg[aria-label]");
    const placesOf = (path) => [...path.getAttribute("d").matchAll(/[HM]([0-9.]+)/g)].map((one) => Number(one[1]));
    const curve = chart.querySelector(".curve");
    // A curve goes on to the end of the axis.
    const places = curve ? placesOf(curve).slice(0, -1) : [...chart.querySelectorAll(".fault")].flatMap(placesOf);
    return { share: Math.max(...places) / Number(chart.getAttribute("width")), text: node.textContent };
  });
}"""


def check_slow_launch(page, name, failures):
    """A slow launch does not flatten the curves of the others: it reaches beyond the axis, and the report says so."""
    for found in page.evaluate(SLOW_LAUNCH):
        failures.expect(
            found["share"] > 0.1, f"{name}: beside a slow launch another ends at {found['share']:.0%} of the width"
        )
        failures.expect("far longer than the others" in found["text"], f"{name}: nothing is said of the slow launch")


def printed(page):
    """Returns the printed sheets of paper as concatenated images of ppm(5)."""
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        page.pdf(path=file.name, format="A4")
        return subprocess.run(["pdftoppm", "-r", "60", file.name], check=True, capture_output=True).stdout


def coloured_pixels(pictures):
    count = 0
    while pictures:
        _, size, _, rest = pictures.split(b"\n", 3)
        width, height = map(int, size.split())
        pixels, pictures = rest[: 3 * width * height], rest[3 * width * height :]
        count += sum(max(rgb) - min(rgb) > 60 for rgb in zip(pixels[::3], pixels[1::3], pixels[2::3]))
    return count


def check_printed_map(page, name, failures):
    """Both themes must print the same colours, and more coloured pixels with the cells of the page map than without."""
    page.add_style_tag(content="main > :not(#map), #map > :not(:has(.strip)) { display: none !important }")
    dark = printed(page)
    page.emulate_media(color_scheme="light")
    failures.expect(printed(page) == dark, f"{name}: the dark theme prints other colours than the light one")
    page.add_style_tag(content=".strip canvas { visibility: hidden }")
    failures.expect(
        coloured_pixels(dark) > coloured_pixels(printed(page)) + 100,
        f"{name}: the page map is printed without its cells",
    )


def check_printed_choices(page, name, failures):
    """Paper shows the chosen zoom, colour and figure, and says of each shortened table or list how many rows there are."""
    for choice in page.locator(".tools fieldset").all():
        chosen = choice.evaluate("(one) => one.querySelector(':checked').parentNode.textContent")
        shown = choice.evaluate(
            "(one) => [...one.querySelectorAll('label')].filter((one) => one.checkVisibility()).map((one) => one.textContent)"
        )
        failures.expect(shown == [chosen], f"{name}: {shown} are printed, {chosen} is chosen")
    if page.locator("#metric").count():
        figure = page.locator("#metric").evaluate("(one) => one.selectedOptions[0].textContent")
        failures.expect(
            figure in page.locator("#history").inner_text(), f"{name}: the figure '{figure}' is not printed"
        )
    silent = page.evaluate("""[...document.querySelectorAll('.table, #limits')].flatMap((one) =>
        [...one.querySelectorAll('.tools button')].filter((button) => /^Show .* [0-9,]+/.test(button.textContent) && !button.hidden)
          .map((button) => [one, /[0-9,]+( rows)?$/.exec(button.textContent)[0]]))
      .filter(([one, count]) => one.checkVisibility() && ![...one.querySelectorAll('.printed')].some(
        (words) => words.checkVisibility() && words.textContent.includes(` of ${count.replace(' rows', '')} `)))
      .map(([one, count]) => `${one.innerText.slice(0, 40)}: ${count}`)""")
    failures.expect(not silent, f"{name}: rows are left out silently: {silent[:3]}")
    narrow = page.evaluate("""[...document.querySelectorAll('.strip canvas')].map((one) => one.getBoundingClientRect().right)
      .filter((right) => Math.abs(right - document.getElementById('main').getBoundingClientRect().right) > 1)""")
    failures.expect(not narrow, f"{name}: the page map ends at {narrow}, not at the end of the text")


def check_print(page, name, failures):
    page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = true))")
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 680, "height": 960})
    page.wait_for_timeout(150)
    check_width(page, f"{name}, printed", failures)
    empty = page.evaluate("""[...document.querySelectorAll('main td')].filter((one) => one.textContent && one.offsetParent &&
      [...one.children].some((child) => getComputedStyle(child).display === 'none')).length""")
    failures.expect(empty == 0, f"{name}: {empty} cells of tables are empty in print")
    hidden = page.evaluate("""['#views', '#search', '.readout', '.tools button', '.tools input', '.tools select']
      .filter((one) => [...document.querySelectorAll(one)].some((node) => node.checkVisibility()))""")
    failures.expect(not hidden, f"{name}: {hidden} are printed")
    check_printed_choices(page, name, failures)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    failures.expect(background == "rgb(255, 255, 255)", f"{name}: printed on {background}")
    wide = page.evaluate("""[...document.querySelectorAll('canvas, svg, table, dl')]
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80))""")
    failures.expect(not wide, f"{name}: cut off in print: {wide}")
    check_colours_of_print = page.evaluate("getComputedStyle(document.querySelector('main')).color")
    failures.expect(check_colours_of_print != background, f"{name}: printed in {background} on {background}")
