#include "cclock.h"

#define DAY 86400

__attribute__((noinline)) static long within_day(long seconds) { return ((seconds % DAY) + DAY) % DAY; }

int cclock_minute(long seconds) { return (int)(within_day(seconds) / 60 % 60); }

int cclock_hour(long seconds) { return (int)(within_day(seconds) / 3600); }
