#ifndef CLOCK_INTERNAL_H
#define CLOCK_INTERNAL_H

#include "CProcessClock.h"

#if defined(__linux__)
#include <features.h>
#endif

// Scripts/c-checks compiles these files with the address sanitizer, in a program whose own definitions come first.
#if defined(__has_feature) && !defined(CLOCK_WITH_SANITIZER)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
// A sanitizer defines most of these functions itself.
#define CLOCK_IS_UNAVAILABLE 1
#endif
#endif
#if !defined(__linux__) || !defined(__GLIBC__)
#define CLOCK_IS_UNAVAILABLE 1
#endif

#ifndef CLOCK_IS_UNAVAILABLE

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <poll.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define FOREVER INT64_MAX

// MARK: What libc does (clock_state.c)

// One row for each function that is replaced: its result, name and parameters.
#define CLOCK_FUNCTIONS(F)                                                                                             \
    F(int, clock_gettime, (clockid_t, struct timespec *))                                                              \
    F(int, clock_settime, (clockid_t, const struct timespec *))                                                        \
    F(int, gettimeofday, (struct timeval *, void *))                                                                   \
    F(int, settimeofday, (const struct timeval *, const struct timezone *))                                            \
    F(int, clock_nanosleep, (clockid_t, int, const struct timespec *, struct timespec *))                              \
    F(int, sem_post, (sem_t *))                                                                                        \
    F(int, sem_timedwait, (sem_t *, const struct timespec *))                                                          \
    F(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))                                               \
    F(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                     \
    F(int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))          \
    F(int, pthread_mutex_unlock, (pthread_mutex_t *))                                                                  \
    F(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))                                      \
    F(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *))                           \
    F(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                                                \
    F(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))                                  \
    F(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))                                  \
    F(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))                       \
    F(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))                       \
    F(int, poll, (struct pollfd *, nfds_t, int))                                                                       \
    F(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))                                \
    F(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *))                                              \
    F(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))                    \
    F(int, epoll_wait, (int, struct epoll_event *, int, int))                                                          \
    F(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))                                       \
    F(int, epoll_pwait2, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))                  \
    F(int, timerfd_create, (int, int))                                                                                 \
    F(int, timerfd_settime, (int, int, const struct itimerspec *, struct itimerspec *))                                \
    F(int, timerfd_gettime, (int, struct itimerspec *))                                                                \
    F(ssize_t, read, (int, void *, size_t))                                                                            \
    F(int, close, (int))                                                                                               \
    F(long, syscall, (long, ...))                                                                                      \
    F(void, dispatch_source_set_timer, (void *, uint64_t, uint64_t, uint64_t))                                         \
    F(void, dispatch_source_set_event_handler_f, (void *, void (*)(void *)))

#define CLOCK_POINTER(result, name, parameters) result(*name) parameters;
// libc's own functions, found at first use.
struct libc_functions {
    CLOCK_FUNCTIONS(CLOCK_POINTER)
};
#undef CLOCK_POINTER
const struct libc_functions *libc(void);

// MARK: The state (clock_state.c)

// A wait with a deadline. It lives in the frame of the function that waits, or in the table of timer descriptors.
struct wait {
    struct wait *next, *previous;
    enum process_clock_id clock;
    int64_t deadline;
    // The order in which waits began, for those with one deadline.
    uint64_t order;
    const char *call;
    int32_t thread;
    // Called with the lock held, after the wait has left the list.
    void (*fire)(struct wait *);
    // What is waited for: a semaphore, a condition, a word of memory.
    void *object;
    // A futex of its own: `wait_is_pending` or what ended it.
    atomic_int state;
    // A lock is waited for by trying again.
    bool is_for_lock;
    // A descriptor that makes a wait for descriptors return; for a futex, its private flag.
    int descriptor;
    // A timer's descriptor of a run loop, whose timers may have a tolerance.
    bool is_of_run_loop;
};

enum { wait_is_pending = 0, wait_has_expired = 1, wait_was_woken = 2 };

bool clock_is_virtual(void);
void clock_lock(void);
void clock_unlock(void);
// The three readings; with the lock held.
extern int64_t clock_readings[3];
// Which clock a number of `clock_gettime` is, if it is one of time.
bool clock_of(clockid_t id, enum process_clock_id *clock);
int64_t clock_reading(enum process_clock_id clock);
// With the lock held: the process is awake at this instant.
void clock_woken(void);
int64_t nanoseconds(const struct timespec *time);
struct timespec timespec_of(int64_t nanoseconds);
int64_t saturating_sum(int64_t one, int64_t other);

// With the lock held: enters a wait that has its clock, deadline, call and `fire` set.
void wait_enter(struct wait *wait);
// With the lock held: takes it out, if it is still in.
void wait_leave(struct wait *wait);
bool wait_is_entered(const struct wait *wait);
// With the lock held, when everything is at rest: the wait that is due first, and how long until then (negative when
// overdue). NULL when there is none. A timer with a tolerance is due when that is over, or at an instant at which the
// process is awake anyway.
struct wait *wait_earliest(int64_t *left);
// With the lock held: for each wait, until one returns true.
struct wait *wait_find(bool (*matches)(const struct wait *, const void *), const void *argument);

// Sleeps on the wait's own word until it is not pending; EINTR when a signal handler ran. Without the lock.
int wait_sleep(struct wait *wait);
// With the lock held: ends the sleep.
void wait_wake(struct wait *wait, int reason);

// A futex call, whatever `syscall` does.
long futex(void *word, int operation, uint32_t value, const struct timespec *timeout);

// MARK: The other files

// clock_threads.c: lets those try again that wait for a lock until an instant; with the lock held.
void lock_waits_retry(void);
// clock_descriptors.c: timers that were set before time was virtual; with the lock held.
void timer_descriptors_convert(void);
// With the lock held: the wall clock was set.
void timer_descriptors_cancel_on_set(void);
// clock_dispatch.c: Dispatch's look each second whether its workers are blocked.
void dispatch_monitor_begin(void);
// With the lock held: how long until the next look; FOREVER when there is no need for one.
int64_t dispatch_monitor_left(void);
// With the lock held: something runs again.
void dispatch_monitor_continue(void);
// Takes the look, and settles.
int dispatch_monitor_look(int64_t limit);
// run_loop_timers.c: with the lock held, when everything is at rest: until which instant of uptime a run loop's
// descriptor that is set to that instant may be late.
int64_t run_loop_timers_latest(int64_t deadline);
// Whether the address is in the code of Foundation's run loops.
bool is_called_by_run_loops(void *caller);
// clock_idle.c: how much the other threads have run, when it was last looked at. Without the lock.
uint64_t process_clock_activity(void);
// app_launcher.c: forks a process for each request of the test's process. Returns in these, with the offset of the
// function to run.
uint64_t app_launcher_main(void);

#endif
#endif
