#if defined(__linux__)
#define _GNU_SOURCE
#include "CApusTimers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int capus_timerfd_create(enum capus_clock clock) {
    clockid_t id = clock == CAPUS_CLOCK_UPTIME       ? CLOCK_MONOTONIC
                   : clock == CAPUS_CLOCK_CONTINUOUS ? CLOCK_BOOTTIME
                                                     : CLOCK_REALTIME;
    int fd = timerfd_create(id, TFD_NONBLOCK | TFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int capus_timerfd_arm(int fd, uint64_t nanoseconds, int cancel_on_set) {
    // The kernel counts nanoseconds in a signed number, whose last value is 292 years away.
    if (nanoseconds > INT64_MAX) nanoseconds = INT64_MAX;
    struct itimerspec spec = {
        .it_value = {.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)},
    };
    int flags = TFD_TIMER_ABSTIME | (cancel_on_set ? TFD_TIMER_CANCEL_ON_SET : 0);
    return timerfd_settime(fd, flags, &spec, NULL) == 0 ? 0 : -errno;
}

int64_t capus_timerfd_read(int fd) {
    uint64_t expirations = 0;
    for (;;) {
        ssize_t size = read(fd, &expirations, sizeof expirations);
        if (size == sizeof expirations) return (int64_t)(expirations & INT64_MAX);
        if (errno == EAGAIN) return 0;
        if (errno != EINTR) return -errno;
    }
}

static atomic_uint forks = 0;
static pthread_once_t counting_forks = PTHREAD_ONCE_INIT;

static void count_fork(void) { atomic_fetch_add(&forks, 1); }
static void count_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

unsigned capus_forks(void) {
    pthread_once(&counting_forks, count_forks);
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

int capus_eventfd_create(void) {
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int capus_eventfd_signal(int fd) {
    uint64_t one = 1;
    return write(fd, &one, sizeof one) == sizeof one ? 0 : -errno;
}

#else
// Other systems need no shims, but a translation unit must not be empty.
typedef int capus_timers_unused;
#endif
