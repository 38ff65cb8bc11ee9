"""Time, the same in every run: one tick per executed basic block and per call of a simulated
function."""

from pages import PageCounter

FREQUENCY = 24_000_000  # Hz: CNTFRQ_EL0 of Apple's arm64; mach_timebase_info says 125/3
BOOT = 1_750_000_000  # seconds since 1970 when the emulated machine started
AT_LAUNCH = 3_600 * FREQUENCY  # ticks since then


class Clock:
    """What all clocks of the process derive from."""

    def __init__(self, pages: PageCounter) -> None:
        self._pages = pages
        self._steps = AT_LAUNCH

    def step(self) -> None:
        self._steps += 1

    def ticks(self) -> int:
        """CNTVCT_EL0, mach_absolute_time: two readings always differ."""
        self._steps += 1
        return self._steps + self._pages.block_count

    def nanoseconds(self) -> int:
        """Since the machine started."""
        return self.ticks() * 125 // 3

    def wall_nanoseconds(self) -> int:
        """Since 1970."""
        return BOOT * 1_000_000_000 + self.nanoseconds()
