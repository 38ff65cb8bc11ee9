"""malloc and its kin."""

from unicorn import UC_PROT_READ, UC_PROT_WRITE

from machine import HEAP, PAGE, Machine, page_end

STEP = 0x40_0000  # bytes by which the heap grows at least


class Heap:
    """Blocks of memory, aligned to 16 bytes as Darwin's are; freed ones serve their size again."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._next = HEAP
        self._end = HEAP
        self._sizes: dict[int, int] = {}
        self._free: dict[int, list[int]] = {}

    def allocate(self, size: int, alignment: int = 16) -> int:
        size = max(size + 15 & ~15, 16)
        if alignment <= 16 and self._free.get(size):
            address = self._free[size].pop()
        else:
            address = -(-self._next // alignment) * alignment
            self._grow(address + size)
            self._next = address + size
        self._sizes[address] = size
        return address

    def _grow(self, end: int) -> None:
        if end > self._end:
            size = max(page_end(end - self._end), STEP)
            self._machine.uc.mem_map(self._end, size, UC_PROT_READ | UC_PROT_WRITE)
            self._end += size

    def zeroed(self, size: int) -> int:
        address = self.allocate(size)
        self._machine.write(address, bytes(self._sizes[address]))
        return address

    def size(self, address: int) -> int:
        """malloc_size: 0 if ADDRESS is no block of ours."""
        return self._sizes.get(address, 0)

    def free(self, address: int) -> None:
        size = self._sizes.pop(address, 0)
        if size:
            self._free.setdefault(size, []).append(address)

    def resize(self, address: int, size: int) -> int:
        if address == 0:
            return self.allocate(size)
        old = self.size(address)
        if size <= old:
            return address
        new = self.allocate(size)
        self._machine.write(new, self._machine.peek(address, old))
        self.free(address)
        return new

    def pages(self, size: int) -> int:
        """Whole pages."""
        return self.allocate(page_end(size), PAGE)
