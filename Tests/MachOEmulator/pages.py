"""Which pages of an image's executable segments a launch touches, and which functions it enters
first.

Three kinds of touch are told apart: code that ran, bytes that the program or a library on its
behalf read as data, and bytes that dyld and libobjc read for themselves while loading (`peek` in
machine.py).
"""

from dataclasses import dataclass, field
from typing import Any

from unicorn import UC_HOOK_BLOCK, UC_HOOK_MEM_READ, Uc

from image import Image

SIZES = (0x4000, 0x1000)  # bytes of a page: Darwin's on arm64, and that of most of Linux


def by_size() -> dict[int, Any]:
    """Pages by their size; a dictionary keeps the order in which its keys came."""
    return {size: {} for size in SIZES}


@dataclass
class TextPages:
    """What was touched of one image. Addresses are stated; all lists are in time order."""

    image: Image
    executed: dict[int, dict[int, int]] = field(default_factory=by_size)
    read: dict[int, dict[int, None]] = field(default_factory=by_size)
    loaded: dict[int, dict[int, None]] = field(default_factory=by_size)

    def execute(self, stated: int, size: int) -> None:
        """Notes a basic block, the first time that it runs."""
        for page_size, pages in self.executed.items():
            for page in range(stated & -page_size, stated + size, page_size):
                pages.setdefault(page, max(stated, page))

    def note(self, kept: dict[int, dict[int, None]], address: int, size: int) -> None:
        stated = address - self.image.slide
        for page_size, pages in kept.items():
            for page in range(stated & -page_size, stated + max(size, 1), page_size):
                pages.setdefault(page)

    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = {
            "path": self.image.path,
            "uuid": self.image.uuid,
            "slide": self.image.slide,
        }
        for size in SIZES:
            suffix = f"{size >> 10}k"
            touched = {**self.executed[size], **self.read[size], **self.loaded[size]}
            report["executedTextPages" + suffix] = len(self.executed[size])
            report["readTextPages" + suffix] = len(self.read[size])
            report["loaderTextPages" + suffix] = len(self.loaded[size])
            report["touchedTextPages" + suffix] = len(touched)
            report["executedPages" + suffix] = [
                {"address": page, "firstPC": pc} for page, pc in self.executed[size].items()
            ]
        return report


class PageCounter:
    """Watches the text of all loaded images. Its count of basic blocks drives the clock."""

    def __init__(self, uc: Uc) -> None:
        self._uc = uc
        self._ranges: list[tuple[int, int, TextPages]] = []
        self._hooks: dict[str, list[int]] = {}
        self.images: list[TextPages] = []
        self.entered: list[tuple[Image, int]] = []  # functions, by first entry
        self.block_count = 0

    def watch(self, image: Image) -> None:
        pages = TextPages(image)
        self.images.append(pages)
        seen: set[int] = set()

        def on_block(uc: Uc, address: int, size: int, data: object) -> None:
            self.block_count += 1
            if address not in seen:
                seen.add(address)
                stated = address - image.slide
                pages.execute(stated, size)
                if stated in image.functions:
                    self.entered.append((image, stated))

        def on_read(uc: Uc, kind: int, address: int, size: int, value: int, data: object) -> None:
            pages.note(pages.read, address, size)

        for start, end in image.text_ranges():
            self._ranges.append((start, end, pages))
            self._hooks[image.path] = [
                self._uc.hook_add(UC_HOOK_BLOCK, on_block, begin=start, end=end - 1),
                self._uc.hook_add(UC_HOOK_MEM_READ, on_read, begin=start, end=end - 1),
            ]

    def forget(self, image: Image) -> None:
        """IMAGE is being unloaded; what it touched stays in the report."""
        self._ranges = [each for each in self._ranges if each[2].image is not image]
        for hook in self._hooks.pop(image.path, []):
            self._uc.hook_del(hook)

    def functions(self) -> list[dict[str, Any]]:
        """The functions of all images in the order in which they were first entered."""
        return [
            {"image": image.path, "address": address, "names": image.functions[address]}
            for image, address in self.entered
        ]

    def note_read(self, address: int, size: int) -> None:
        """A simulated function reads SIZE bytes for the program."""
        for start, end, pages in self._ranges:
            if start <= address < end:
                pages.note(pages.read, address, size)

    def note_loader_read(self, address: int, size: int) -> None:
        """dyld or libobjc read SIZE bytes."""
        for start, end, pages in self._ranges:
            if start <= address < end:
                pages.note(pages.loaded, address, size)
