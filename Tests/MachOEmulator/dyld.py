"""dyld: loads images, binds them, and runs initialisers in the order of the real one.

Read in Apple's source (dyld-1378, apple-oss-distributions/dyld): Loader::runInitializersBottomUp
(what an image depends on first; `+load` of an image before its initialisers),
Image::forEachInitializer (`-init`, then S_MOD_INIT_FUNC_POINTERS, then S_INIT_FUNC_OFFSETS),
`start` in dyldMain.cpp.
"""

import os
import random
from typing import TYPE_CHECKING
from collections.abc import Iterator

from calls import Address, Int32, UInt32, UInt64, function
from image import (
    S_INIT_FUNC_OFFSETS,
    S_MOD_INIT_FUNC_POINTERS,
    S_MOD_TERM_FUNC_POINTERS,
    Image,
    ImageError,
)
from machine import LIBRARIES, PAGE

if TYPE_CHECKING:
    from process import Process

# <dlfcn.h>
RTLD_NOLOAD = 0x10
RTLD_SPECIAL = {2**64 - 1: "RTLD_NEXT", 2**64 - 2: "RTLD_DEFAULT", 2**64 - 3: "RTLD_SELF"}
RTLD_MAIN_ONLY = 2**64 - 5
BIND_SPECIAL_DYLIB_SELF = 0  # <mach-o/loader.h>; those below zero search more than one image
SIMULATED = ("/usr/lib/", "/System/")


class Dyld:
    """The images of the process, in load order; the executable is the first."""

    def __init__(self, process: "Process") -> None:
        self._process = process
        self._machine = process.machine
        self._random = random.Random(process.settings.seed)
        self._next_library = LIBRARIES + self._random.randrange(0x1000) * PAGE
        self.images: list[Image] = []
        self._initialised: set[str] = set()
        self._opened: dict[int, int] = {}  # reference counts by handle
        self._dependencies: dict[str, list[Image]] = {}
        self._on_add: list[int] = []
        self._on_remove: list[int] = []
        self._variables = 0
        self._error = 0

    @property
    def main(self) -> Image:
        return self.images[0]

    def launch(self) -> None:
        """Loads the executable with all that it needs, and initialises it."""
        settings = self._process.settings
        image = Image(settings.image)
        if not image.is_executable:
            raise ImageError(f"{settings.image}: is no executable")
        slide = settings.slide
        if slide is None:
            slide = self._random.randrange(1, 0x4000) * PAGE
        if slide % PAGE:
            raise ImageError(f"slide {slide:#x}: is not a multiple of {PAGE:#x}")
        self._variables = self._make_program_vars(image.base + slide)
        loaded = self._load(image, slide)
        self._finish(loaded)
        self._initialise(image)

    def _make_program_vars(self, header: int) -> int:
        """struct ProgramVars: mh, NXArgcPtr, NXArgvPtr, environPtr, __prognamePtr (dyld:
        DyldProcessConfig.h)."""
        names = ("_NXArgc", "_NXArgv", "_environ", "___progname")
        words = [header] + [self._process.variable(name) for name in names]
        return self._machine.new_data(b"".join(each.to_bytes(8, "little") for each in words))

    # Loading

    def _load(self, image: Image, slide: int) -> list[Image]:
        """Maps IMAGE and what it needs that is not there yet.

        As in dyld breadth comes first: an image, its dependents in the order of its load commands,
        then theirs.
        """
        image.map(self._machine, slide)
        self.images.append(image)
        new = [image]
        for each in new:
            found: list[Image] = []
            for name in each.library_names():
                library = None if name.startswith(SIMULATED) else self._find(name, each)
                each.libraries.append(library)
                if library is None:
                    continue
                found.append(library)
                if library not in self.images:
                    self._map_library(library)
                    new.append(library)
            self._dependencies[each.path] = found
        return new

    def _map_library(self, image: Image) -> None:
        slide = self._next_library - image.base
        self._next_library += image.size + self._random.randrange(1, 16) * PAGE
        image.map(self._machine, slide)
        self.images.append(image)

    def _find(self, name: str, needing: Image) -> Image:
        """The library NAME: that path if it exists, else a file of that name beside the program or
        beside who asks. (`@rpath` and its like come to the same in a flat folder.)"""
        leaf = os.path.basename(name)
        folders = [os.path.dirname(self.main.path), os.path.dirname(needing.path)]
        paths = [name] if name.startswith("/") else []
        paths += [os.path.join(folder, leaf) for folder in folders]
        for image in self.images:
            if image.path in paths or image.install_name() == name:
                return image
        for path in paths:
            if os.path.exists(path):
                return Image(path)
        raise ImageError(f"{needing.path}: library not loaded: '{name}': tried {', '.join(paths)}")

    def _finish(self, loaded: list[Image]) -> None:
        """Fix-ups, protection, and whoever wants to hear of new images."""
        for image in loaded:
            image.rebase(self._machine)
            self._bind(image)
            image.protect(self._machine)
            self._process.pages.watch(image)
            header = 32 + image.file.header.sizeof_cmds
            self._process.pages.note_loader_read(image.header, header)
        self._process.objc.map_images(loaded)
        for callback in self._on_add:
            for image in loaded:
                self._machine.call(callback, image.header, image.slide)

    def _bind(self, image: Image) -> None:
        for binding in image.file.bindings:
            name = str(binding.symbol.name) if binding.symbol else ""
            target = self._look_up(image, name, binding.library_ordinal)
            if target is None:
                target = 0 if binding.weak_import else self._process.trap(name)
            if target:
                target += binding.addend
            self._machine.write_word(binding.address + image.slide, target)

    def _look_up(self, image: Image, name: str, ordinal: int) -> int | None:
        """Where NAME, imported from the library numbered ORDINAL, is defined."""
        if ordinal > 0:
            library = image.libraries[ordinal - 1]
            if library is not None:
                return self._export(library, name)
            return self._process.import_address(name)
        places = [image] if ordinal == BIND_SPECIAL_DYLIB_SELF else self.images
        for place in places:
            found = self._export(place, name)
            if found is not None:
                return found
        return self._process.import_address(name)

    @staticmethod
    def _export(image: Image, name: str) -> int | None:
        value = image.exports.get(name)
        return None if value is None else value + image.slide

    # Initialising

    def _initialise(self, image: Image) -> None:
        if image.path in self._initialised:
            return
        self._initialised.add(image.path)
        for library in self._dependencies[image.path]:
            self._initialise(library)
        self._process.objc.load_image(image)
        process = self._process
        for address in self._initializers(image):
            process.stage("initializer", image.path, address - image.slide)
            self._machine.call(address, process.argc, process.argv, process.envp, process.apple, self._variables)
        for start, size in image.sections_of_type(S_MOD_TERM_FUNC_POINTERS):
            for at in range(start, start + size, 8):
                handler = (self._machine.peek_word(at), 0, image.header)
                process.exit_handlers.append(handler)

    def _initializers(self, image: Image) -> Iterator[int]:
        """The loaded addresses of the initialisers of IMAGE in the order that they run in."""
        if image.file.routine_command:
            yield image.file.routine_command.init_address + image.slide
        for start, size in image.sections_of_type(S_MOD_INIT_FUNC_POINTERS):
            for at in range(start, start + size, 8):
                yield self._machine.peek_word(at)
        for start, size in image.sections_of_type(S_INIT_FUNC_OFFSETS):
            self._process.pages.note_loader_read(start, size)
            for at in range(start, start + size, 4):
                yield image.header + self._machine.peek_int(at)

    # While the program runs

    def image_containing(self, address: int) -> Image | None:
        return next((each for each in self.images if each.contains(address)), None)

    def describe(self, address: int) -> str:
        """ADDRESS for people: image, symbol and offset."""
        image = self.image_containing(address)
        if image is None:
            return hex(address)
        symbol = image.nearest_symbol(address)
        place = f"{symbol[0]}+{address - symbol[1]:#x}" if symbol else hex(address - image.slide)
        return f"{os.path.basename(image.path)}`{place}"

    def open(self, path: str, mode: int) -> int:
        """dlopen: returns a handle, the header's address."""
        loaded: list[Image] = []
        try:
            image = self._find(path, self.main)
            if image not in self.images:
                if mode & RTLD_NOLOAD:
                    return 0
                slide = self._next_library - image.base
                self._next_library += image.size + PAGE
                loaded = self._load(image, slide)
                self._finish(loaded)
                self._initialise(image)
        except ImageError as error:
            self._error = self._machine.new_string(str(error).encode())
            return 0
        self._opened[image.header] = self._opened.get(image.header, 0) + 1
        return image.header

    def close(self, handle: int) -> int:
        """dlclose: an image without Objective-C goes when its last user does."""
        image = next((each for each in self.images if each.header == handle), None)
        if image is None or handle not in self._opened:
            return -1
        self._opened[handle] -= 1
        if self._opened[handle] or image.section("__objc_imageinfo"):
            return 0
        self._process.finalize(image.header)
        for callback in self._on_remove:
            self._machine.call(callback, image.header, image.slide)
        del self._opened[handle]
        self.images.remove(image)
        self._initialised.discard(image.path)
        self._process.pages.forget(image)
        image.unmap(self._machine)
        return 0

    def symbol(self, handle: int, name: str) -> int | None:
        """dlsym."""
        if handle in RTLD_SPECIAL:
            places = self.images
        elif handle == RTLD_MAIN_ONLY:
            places = [self.main]
        else:
            places = [each for each in self.images if each.header == handle]
        for image in places:
            found = self._export(image, name)
            if found is not None:
                return found
        found = self._process.import_address(name) if handle in RTLD_SPECIAL else None
        if found is None:
            self._error = self._machine.new_string(f"dlsym: symbol not found: {name}".encode())
        return found

    def take_error(self) -> int:
        error, self._error = self._error, 0
        return error

    def register(self, callback: int, is_removal: bool) -> None:
        """`_dyld_register_func_for_add_image` calls at once for what is loaded (DyldAPIs.cpp)."""
        if is_removal:
            self._on_remove.append(callback)
            return
        for image in list(self.images):
            self._machine.call(callback, image.header, image.slide)
        self._on_add.append(callback)


# <mach-o/dyld.h>, <dlfcn.h>


def _image(process: "Process", index: int) -> Image | None:
    images = process.dyld.images
    return images[index] if index < len(images) else None


@function("__dyld_image_count")
def image_count(process: "Process") -> int:
    return len(process.dyld.images)


@function("__dyld_get_image_header")
def image_header(process: "Process", index: UInt32) -> int:
    image = _image(process, index)
    return image.header if image else 0


@function("__dyld_get_image_vmaddr_slide")
def image_slide(process: "Process", index: UInt32) -> int:
    image = _image(process, index)
    return image.slide if image else 0


@function("__dyld_get_image_name")
def image_name(process: "Process", index: UInt32) -> int:
    image = _image(process, index)
    return path_string(process, image) if image else 0


def path_string(process: "Process", image: Image) -> int:
    """The address of the path of IMAGE, the same at each call."""
    if not hasattr(image, "path_address"):
        image.path_address = process.machine.new_string(image.path.encode())
    return int(image.path_address)


@function("_dyld_image_header_containing_address")
def header_containing(process: "Process", address: Address) -> int:
    image = process.dyld.image_containing(address)
    return image.header if image else 0


@function("_dyld_image_path_containing_address")
def path_containing(process: "Process", address: Address) -> int:
    image = process.dyld.image_containing(address)
    return path_string(process, image) if image else 0


@function("__dyld_get_image_uuid")
def image_uuid(process: "Process", header: Address, uuid: Address) -> int:
    for image in process.dyld.images:
        if image.header == header and image.uuid:
            process.machine.write(uuid, bytes.fromhex(image.uuid))
            return 1
    return 0


@function("__dyld_get_prog_image_header")
def program_header(process: "Process") -> int:
    return process.dyld.main.header


@function("__dyld_register_func_for_add_image")
def register_add(process: "Process", callback: Address) -> None:
    process.dyld.register(callback, is_removal=False)


@function("__dyld_register_func_for_remove_image")
def register_remove(process: "Process", callback: Address) -> None:
    process.dyld.register(callback, is_removal=True)


@function("__NSGetExecutablePath")
def executable_path(process: "Process", buffer: Address, size: Address) -> int:
    path = process.dyld.main.path.encode() + b"\0"
    room = int.from_bytes(process.machine.read(size, 4), "little")
    process.machine.write_int(size, len(path))
    if len(path) > room:
        return -1
    process.machine.write(buffer, path)
    return 0


@function("_dladdr")
def dladdr(process: "Process", address: Address, info: Address) -> int:
    image = process.dyld.image_containing(address)
    if image is None:
        return 0
    symbol = image.nearest_symbol(address)
    name = start = 0
    if symbol:
        # dladdr leaves the underscore out (dyld: APIs::dladdr).
        text, start = symbol
        name = process.machine.new_string(text.removeprefix("_").encode())
    words = (path_string(process, image), image.header, name, start)
    process.machine.write(info, b"".join(each.to_bytes(8, "little") for each in words))
    return 1


@function("_dlopen")
def dlopen(process: "Process", path: Address, mode: Int32) -> int:
    if path == 0:
        return 2**64 - 2
    return process.dyld.open(os.fsdecode(process.machine.string(path)), mode)


@function("_dlclose")
def dlclose(process: "Process", handle: UInt64) -> int:
    return process.dyld.close(handle)


@function("_dlsym")
def dlsym(process: "Process", handle: UInt64, name: Address) -> int:
    return process.dyld.symbol(handle, "_" + process.machine.string(name).decode()) or 0


@function("_dlerror")
def dlerror(process: "Process") -> int:
    return process.dyld.take_error()


@function("_getsectiondata")
def getsectiondata(process: "Process", header: Address, segment: Address, section: Address, size: Address) -> int:
    machine = process.machine
    for image in process.dyld.images:
        if image.header != header:
            continue
        found = image.section(machine.string(section).decode(), machine.string(segment).decode())
        if found:
            machine.write_word(size, found[1])
            return found[0]
    return 0
