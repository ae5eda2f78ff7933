// Has the functions of the kernel's timers that Swift cannot call, because of GNU-only headers or variadic flags.
// Every function returns -errno when it fails.

#ifndef CAPUS_TIMERS_H
#define CAPUS_TIMERS_H

#include <stdint.h>

#if defined(__linux__)

enum capus_clock {
    CAPUS_CLOCK_UPTIME = 0,      // CLOCK_MONOTONIC
    CAPUS_CLOCK_CONTINUOUS = 1,  // CLOCK_BOOTTIME
    CAPUS_CLOCK_WALL = 2,        // CLOCK_REALTIME
};

/// A non-blocking timer descriptor that is closed on exec.
int capus_timerfd_create(enum capus_clock clock);

/// Arms for an absolute instant in nanoseconds; 0 disarms. `cancel_on_set`: reading then fails with ECANCELED after
/// the clock was set (CAPUS_CLOCK_WALL only). -ECANCELED: the clock was set since the last read, which will not
/// report it any more; the timer is armed all the same.
int capus_timerfd_arm(int fd, uint64_t nanoseconds, int cancel_on_set);

/// The number of expirations since the last read (0: none yet).
int64_t capus_timerfd_read(int fd);

/// How often this process and those that it was forked from were forked, since the first call in any of them: what was
/// made at another count is shared with the parent, and no thread of it runs here.
unsigned capus_forks(void);

/// A non-blocking event descriptor that is closed on exec.
int capus_eventfd_create(void);

/// Makes the event descriptor readable.
int capus_eventfd_signal(int fd);

#endif
#endif
