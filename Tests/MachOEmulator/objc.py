"""libobjc, as far as launching needs it: classes, categories, `+load`, `+initialize`, messages.

Layouts and order are those of Apple's source (apple-oss-distributions/objc4, objc-runtime-new.h and
.mm, objc-loadmethod.mm): class_t, class_ro_t, category_t, absolute and relative method lists;
`load_images` takes `__objc_nlclslist` in order, superclasses first, then `__objc_nlcatlist`. Retain
counts are left out: nothing is ever deallocated.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from collections.abc import Iterator

from calls import Address, TailCall, function
from image import Image
from machine import Crash

if TYPE_CHECKING:
    from process import Process

DATA_MASK = 0x0F00_7FFF_FFFF_FFF8  # FAST_DATA_MASK: the other bits of class_t.bits are flags
ISA_MASK = 0x0000_000F_FFFF_FFF8
SMALL_METHODS = 0x8000_0000  # method_list_t: entries are three 32-bit offsets
DIRECT_SELECTORS = 0x4000_0000
METHODS_SIZE_MASK = 0xFFFC
ROOT = "NSObject"


@dataclass
class Class:
    """A class or metaclass at ADDRESS."""

    address: int
    isa: int
    superclass: int
    name: str
    instance_size: int
    methods: dict[str, int] = field(default_factory=dict)
    cache: dict[str, int] = field(default_factory=dict)
    is_loaded: bool = False  # its +load has been called, or there is none
    is_initialised: bool = False


class ObjectiveC:
    """The runtime of one process."""

    def __init__(self, process: "Process") -> None:
        self._process = process
        self._machine = process.machine
        self._classes: dict[int, Class] = {}
        self._selectors: dict[str, int] = {}
        self._selector_names: dict[int, str] = {}
        self._cache = self._machine.new_data(bytes(16))
        self._root = 0

    def exported(self, name: str) -> int | None:
        """The address of what libobjc exports as NAME, functions apart."""
        if name == "__objc_empty_cache":
            return self._cache
        if name in ("_OBJC_CLASS_$_NSObject", "_OBJC_METACLASS_$_NSObject"):
            root = self._classes[self._make_root()]
            return root.address if "METACLASS" not in name else root.isa
        return None

    def _make_root(self) -> int:
        """NSObject, the one class that is simulated: its methods are functions of this file."""
        if self._root:
            return self._root
        machine = self._machine
        self._root = machine.new_data(bytes(40))
        meta = machine.new_data(bytes(40))
        trap = self._process.trap
        both = {"class": "_object_class", "self": "_objc_opt_self", "isEqual:": "_object_isEqual"}
        both["respondsToSelector:"] = "_object_respondsToSelector"
        both["isKindOfClass:"] = "_object_isKindOfClass"
        for name in ("retain", "autorelease"):
            both[name] = "_objc_retain"
        for name in ("release", "dealloc"):
            both[name] = "_objc_release"
        instance = both | {"init": "_objc_opt_self"}
        of_class = instance | {"class": "_objc_opt_self", "initialize": "_objc_release"}
        of_class |= {"alloc": "_objc_alloc", "new": "_objc_opt_new"}
        of_class |= {"instancesRespondToSelector:": "_class_responds"}
        methods = [{name: trap(to) for name, to in each.items()} for each in (instance, of_class)]
        self._classes[self._root] = Class(self._root, meta, 0, ROOT, 8, methods[0])
        self._classes[meta] = Class(meta, meta, self._root, ROOT, 40, methods[1])
        for address, words in ((self._root, (meta, 0)), (meta, (meta, self._root))):
            machine.write_word(address, words[0])
            machine.write_word(address + 8, words[1])
        for each in (self._root, meta):
            self._classes[each].is_initialised = self._classes[each].is_loaded = True
        return self._root

    # Selectors

    def selector(self, name: str) -> int:
        """The one address that stands for the selector NAME."""
        if name not in self._selectors:
            self._adopt(self._machine.new_string(name.encode()), name)
        return self._selectors[name]

    def selector_name(self, selector: int) -> str:
        name = self._selector_names.get(selector)
        if name is None:
            name = self._machine.peek_string(selector).decode()
            self._selector_names[selector] = name
        return name

    def _adopt(self, address: int, name: str) -> int:
        self._selector_names[address] = name
        return self._selectors.setdefault(name, address)

    # Images

    def map_images(self, images: list[Image]) -> None:
        """map_images: selectors are made unique, classes and categories are known from here on."""
        for image in images:
            for slot in self._list(image, "__objc_selrefs", only_slots=True):
                address = self._machine.peek_word(slot)
                name = self._peek_text(address)
                unique = self._adopt(address, name)
                if unique != address:
                    self._machine.write_word(slot, unique)
        for image in images:
            for address in self._list(image, "__objc_classlist"):
                self.class_at(self.class_at(address).isa)
            for address in self._list(image, "__objc_catlist"):
                self._attach(address)

    def _list(self, image: Image, name: str, only_slots: bool = False) -> Iterator[int]:
        """The pointers in the section NAME, or their addresses."""
        start, size = image.section(name) or (0, 0)
        for slot in range(start, start + size, 8):
            yield slot if only_slots else self._machine.peek_word(slot)

    def class_at(self, address: int) -> Class:
        """Reads class_t: isa, superclass, cache (16 bytes), bits."""
        known = self._classes.get(address)
        if known:
            return known
        machine = self._machine
        isa, superclass = machine.peek_word(address), machine.peek_word(address + 8)
        data = machine.peek_word(address + 32) & DATA_MASK
        size = machine.peek_int(data + 8)  # class_ro_t: flags, instanceStart, instanceSize
        name = self._peek_text(machine.peek_word(data + 24))
        made = Class(address, isa, superclass, name, size)
        self._classes[address] = made
        made.methods = self._methods(machine.peek_word(data + 32))
        return made

    def _methods(self, address: int) -> dict[str, int]:
        """method_list_t: entry size and flags, count, entries of three pointers or offsets."""
        methods: dict[str, int] = {}
        if address == 0:
            return methods
        machine = self._machine
        flags, count = machine.peek_int(address), machine.peek_int(address + 4)
        size = flags & METHODS_SIZE_MASK
        self._process.pages.note_loader_read(address, 8 + size * count)
        for entry in range(address + 8, address + 8 + size * count, size):
            if flags & SMALL_METHODS:
                selector = self._relative(entry)
                if not flags & DIRECT_SELECTORS:
                    selector = machine.peek_word(selector)
                body = self._relative(entry + 8)
            else:
                selector, body = machine.peek_word(entry), machine.peek_word(entry + 16)
            name = self._peek_text(selector)
            self._adopt(selector, name)
            methods.setdefault(name, body)
        return methods

    def _relative(self, address: int) -> int:
        offset = self._machine.peek_int(address)
        return address + (offset - (1 << 32) if offset >> 31 else offset)

    def _peek_text(self, address: int) -> str:
        """A name that the runtime reads for itself: a touched page all the same."""
        text = self._machine.peek_string(address)
        self._process.pages.note_loader_read(address, len(text) + 1)
        return text.decode()

    def _attach(self, category: int) -> None:
        """category_t: name, class, instance methods, class methods. They replace the class's."""
        machine = self._machine
        target = self.class_at(machine.peek_word(category + 8))
        target.methods.update(self._methods(machine.peek_word(category + 16)))
        meta = self.class_at(target.isa)
        meta.methods.update(self._category_class_methods(category))
        for each in self._classes.values():
            each.cache.clear()

    def _category_class_methods(self, category: int) -> dict[str, int]:
        return self._methods(self._machine.peek_word(category + 24))

    def load_image(self, image: Image) -> None:
        """load_images: calls each `+load` of IMAGE."""
        classes: list[tuple[int, int]] = []
        for address in self._list(image, "__objc_nlclslist"):
            self._schedule_load(address, classes)
        categories: list[tuple[int, int]] = []
        for category in self._list(image, "__objc_nlcatlist"):
            body = self._category_class_methods(category).get("load")
            if body:
                categories.append((self._machine.peek_word(category + 8), body))
        for target, body in classes + categories:
            self._process.stage("load", image.path, body - image.slide)
            self._machine.call(body, target, self.selector("load"))

    def _schedule_load(self, address: int, scheduled: list[tuple[int, int]]) -> None:
        if address == 0:
            return
        each = self.class_at(address)
        if each.is_loaded:
            return
        self._schedule_load(each.superclass, scheduled)
        each.is_loaded = True
        # The class's own: a category's +load does not replace it.
        meta = self.class_at(each.isa)
        data = self._machine.peek_word(meta.address + 32) & DATA_MASK
        body = self._methods(self._machine.peek_word(data + 32)).get("load")
        if body:
            scheduled.append((address, body))

    # Messages

    def is_class(self, address: int) -> bool:
        return address in self._classes

    def class_of(self, instance: int) -> Class:
        return self.class_at(self._machine.peek_word(instance) & ISA_MASK)

    def method(self, start: Class, name: str) -> int | None:
        """The implementation of NAME that START or a superclass has."""
        known = start.cache.get(name)
        if known is not None:
            return known
        each: Class | None = start
        while each:
            body = each.methods.get(name)
            if body is not None:
                start.cache[name] = body
                return body
            each = self.class_at(each.superclass) if each.superclass else None
        return None

    def initialise(self, address: int) -> None:
        """Sends +initialize to the class at ADDRESS once, to its superclass before."""
        each = self.class_at(address)
        if each.is_initialised:
            return
        each.is_initialised = True
        if each.superclass:
            self.initialise(each.superclass)
        body = self.method(self.class_at(each.isa), "initialize")
        if body and body != self._process.trap("_objc_release"):
            self._machine.call(body, address, self.selector("initialize"))

    def send(self, receiver: int, selector: int, start: Class | None = None) -> int | None:
        """The implementation that a message goes to, its class initialised; None for nil."""
        if receiver == 0:
            return None
        target = start or self.class_of(receiver)
        name = self.selector_name(selector)
        # A message to a class finds its method in the metaclass, and initialises the class.
        cls = receiver if receiver in self._classes else target.address
        if cls in self._classes and not self._classes[cls].is_initialised:
            self.initialise(cls)
        body = self.method(target, name)
        if body is None:
            sign = "+" if receiver in self._classes else "-"
            raise Crash("SIGABRT", f"{sign}[{target.name} {name}]: unrecognized selector")
        return body

    def new_instance(self, address: int) -> int:
        each = self.class_at(address)
        instance = self._process.heap.zeroed(max(each.instance_size, 16))
        self._machine.write_word(instance, address)
        return instance

    def class_named(self, name: str) -> int:
        for each in self._classes.values():
            if each.name == name and each.isa != each.address and each.isa in self._classes:
                if self._classes[each.isa].name == name:
                    return each.address
        return 0


# <objc/message.h>, <objc/runtime.h>, and the entry points that clang calls (its CGObjCMac.cpp)


@function("_objc_msgSend")
def msg_send(process: "Process", receiver: Address, selector: Address) -> object:
    body = process.objc.send(receiver, selector)
    return 0 if body is None else TailCall(body)


@function("_objc_msgSendSuper2")
def msg_send_super2(process: "Process", super_: Address, selector: Address) -> object:
    """SUPER holds the receiver and the class whose superclass's method is meant."""
    machine = process.machine
    receiver, current = machine.read_word(super_), machine.read_word(super_ + 8)
    above = process.objc.class_at(process.objc.class_at(current).superclass)
    machine.set_result(receiver)
    body = process.objc.send(receiver, selector, above)
    return 0 if body is None else TailCall(body)


def _send_none(process: "Process", receiver: int, name: str) -> object:
    """Goes on with the message NAME, which has no arguments."""
    selector = process.objc.selector(name)
    body = process.objc.send(receiver, selector)
    return 0 if body is None else process.machine.call(body, receiver, selector)


@function("_objc_alloc", "_objc_allocWithZone")
def objc_alloc(process: "Process", cls: Address) -> int:
    if cls == 0:
        return 0
    process.objc.initialise(cls)
    return process.objc.new_instance(cls)


@function("_objc_alloc_init", "_objc_opt_new")
def alloc_init(process: "Process", cls: Address) -> object:
    return _send_none(process, objc_alloc(process, cls), "init") if cls else 0


@function("_objc_opt_class")
def opt_class(process: "Process", instance: Address) -> int:
    """[INSTANCE class]: of a class, itself."""
    return instance if process.objc.is_class(instance) else object_class(process, instance)


@function("_object_class", "_object_getClass")
def object_class(process: "Process", instance: Address) -> int:
    return process.objc.class_of(instance).address if instance else 0


@function(
    "_objc_opt_self",
    "_objc_retain",
    "_objc_autorelease",
    "_objc_autoreleaseReturnValue",
    "_objc_retainAutorelease",
    "_objc_retainAutoreleaseReturnValue",
    "_objc_retainAutoreleasedReturnValue",
    "_objc_unsafeClaimAutoreleasedReturnValue",
    "_objc_claimAutoreleasedReturnValue",
    "_objc_retainBlock",
)
def same(process: "Process", instance: Address) -> int:
    return instance


@function("_objc_release", "_objc_autoreleasePoolPop")
def nothing(process: "Process") -> None:
    return None


@function("_objc_autoreleasePoolPush")
def pool_push(process: "Process") -> int:
    return 1


@function("_objc_storeStrong")
def store_strong(process: "Process", place: Address, value: Address) -> None:
    process.machine.write_word(place, value)


@function("_objc_getClass", "_objc_lookUpClass")
def get_class(process: "Process", name: Address) -> int:
    return process.objc.class_named(process.machine.string(name).decode())


@function("_class_getName")
def class_get_name(process: "Process", cls: Address) -> int:
    name = process.objc.class_at(cls).name if cls else "nil"
    return process.objc.selector(name)  # any string that stays where it is


@function("_class_getSuperclass")
def class_get_superclass(process: "Process", cls: Address) -> int:
    return process.objc.class_at(cls).superclass if cls else 0


@function("_sel_registerName", "_sel_getUid")
def register_name(process: "Process", name: Address) -> int:
    return process.objc.selector(process.machine.string(name).decode())


@function("_object_respondsToSelector")
def responds(process: "Process", receiver: Address, _: Address, asked: Address) -> bool:
    objc = process.objc
    return objc.method(objc.class_of(receiver), objc.selector_name(asked)) is not None


@function("_class_responds")
def class_responds(process: "Process", cls: Address, _: Address, asked: Address) -> bool:
    objc = process.objc
    return objc.method(objc.class_at(cls), objc.selector_name(asked)) is not None


@function("_object_isKindOfClass")
def is_kind_of(process: "Process", receiver: Address, _: Address, cls: Address) -> bool:
    each = process.objc.class_of(receiver)
    while each.address != cls and each.superclass:
        each = process.objc.class_at(each.superclass)
    return each.address == cls


@function("_object_isEqual")
def is_equal(process: "Process", receiver: Address, _: Address, other: Address) -> bool:
    return receiver == other
