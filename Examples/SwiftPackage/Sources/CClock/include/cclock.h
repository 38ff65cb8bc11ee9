#pragma once

/* The hour of the day, 0 to 23, of SECONDS since midnight. */
int cclock_hour(long seconds);
/* The minute of the hour. */
int cclock_minute(long seconds);
