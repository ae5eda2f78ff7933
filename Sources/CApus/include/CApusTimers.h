// Contains the functions of the kernel's timers that Swift cannot call, because of GNU-only headers or variadic flags.
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

/// Arms the timer for an absolute instant in nanoseconds; 0 disarms it.
///
/// With `cancel_on_set` (CAPUS_CLOCK_WALL only), a read fails with ECANCELED after the clock was set. This function
/// returns -ECANCELED if the clock was set after the last read. The timer is armed nevertheless, and the next read does
/// not report that change.
int capus_timerfd_arm(int fd, uint64_t nanoseconds, int cancel_on_set);

/// Returns the number of expirations since the last read; 0 if there is none yet.
int64_t capus_timerfd_read(int fd);

/// Returns the number of forks between the process that made the first call and this process; 0 in the former.
///
/// If the count was lower when an object was made, the object comes from a parent, and its threads do not run in this
/// process.
unsigned capus_forks(void);

/// A non-blocking event descriptor that is closed on exec.
int capus_eventfd_create(void);

/// Makes the event descriptor readable.
int capus_eventfd_signal(int fd);

#endif
#endif
