// Makes time virtual, sets the wall clock, and steps from deadline to deadline, by hand or on a thread of its own.
//
// Owns the number of steps, the holds and the pace, all atomic. The `fire` of a wait is called with the lock held, and
// everything that lets other code run is called without the lock. A forked child inherits none of this: its time is the
// machine's.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <limits.h>
#include <linux/futex.h>

// MARK: Beginning, and setting the wall clock

int process_clock_begin(struct process_clock_reading now) {
    if (!clock_is_virtual() && !process_clock_is_available()) return ENOTSUP;
    clock_lock();
    clock_readings[0] = now.uptime, clock_readings[1] = now.continuous, clock_readings[2] = now.wall;
    bool begins = clock_make_virtual();
    if (begins) timer_descriptors_convert();
    clock_unlock();
    if (begins) dispatch_monitor_begin();
    return 0;
}

void process_clock_set_wall(int64_t wall) {
    clock_lock();
    clock_readings[process_clock_wall] = wall;
    timer_descriptors_cancel_on_set();
    clock_unlock();
}

int clock_settime(clockid_t id, const struct timespec *time) {
    if (!clock_is_virtual() || id != CLOCK_REALTIME) return libc()->clock_settime(id, time);
    process_clock_set_wall(nanoseconds(time));
    return 0;
}

int settimeofday(const struct timeval *time, const struct timezone *zone) {
    if (!clock_is_virtual() || !time) return libc()->settimeofday(time, zone);
    process_clock_set_wall(time->tv_sec * SECOND + time->tv_usec * 1000);
    return 0;
}

// MARK: Steps

static atomic_uint_least64_t steps;

uint64_t process_clock_steps(void) { return atomic_load(&steps); }

// Takes the lock, and returns the time until the next deadline or examination of Dispatch's workers; FOREVER if there
// is none. The wait is NULL for an examination.
static int64_t lock_at_next(struct wait **wait) {
    run_loop_timers_examine();
    clock_lock();
    int64_t left = FOREVER, check = dispatch_monitor_left();
    *wait = wait_earliest(&left);
    if (check >= left) return left > 0 ? left : 0;
    *wait = NULL;
    return check;
}

bool process_clock_until_next(int64_t *left) {
    struct wait *wait;
    *left = lock_at_next(&wait);
    clock_unlock();
    return *left != FOREVER;
}

static void move(int64_t duration) { process_clock_jump(duration, duration, duration); }

// With the process at rest: advances to the next deadline or examination, and fires the deadline. Returns EAGAIN if
// neither is due within the next `within` nanoseconds. Only one deadline is fired, so that what it wakes runs before
// the next deadline is fired.
static int go_to_next(int64_t within, bool *is_examination) {
    struct wait *wait;
    int64_t left = lock_at_next(&wait);
    if (left == FOREVER || left > within) {
        clock_unlock();
        return EAGAIN;
    }
    clock_move(left, left, left);
    *is_examination = !wait;
    if (wait) {
        wait_leave(wait);
        clock_woken();
        wait->fire(wait);
        atomic_fetch_add(&steps, 1);
        dispatch_monitor_continue();
    }
    clock_unlock();
    return 0;
}

// Does the same as `go_to_next`, and then settles.
static int go_to_next_and_settle(int64_t within, int64_t limit) {
    bool is_examination;
    int result = go_to_next(within, &is_examination);
    if (result != 0) return result;
    return is_examination ? dispatch_monitor_examine(limit, NULL) : process_clock_settle(limit);
}

int process_clock_fire(int64_t limit) {
    if (!clock_is_virtual()) return ENOTSUP;
    bool is_examination;
    int result = go_to_next(0, &is_examination);
    return result == 0 && is_examination ? dispatch_monitor_examine(limit, NULL) : result;
}

int process_clock_step(int64_t within, int64_t limit) {
    if (!clock_is_virtual()) return ENOTSUP;
    uint64_t before = process_clock_steps();
    int64_t end = saturating_sum(process_clock_now().continuous, within > 0 ? within : 0);
    int result = process_clock_settle(limit);
    // An examination of Dispatch's workers is not a step.
    while (result == 0 && process_clock_steps() == before) {
        int64_t left = end - process_clock_now().continuous;
        result = go_to_next_and_settle(left > 0 ? left : 0, limit);
    }
    return result;
}

int process_clock_advance(int64_t duration, int64_t limit) {
    if (!clock_is_virtual()) return ENOTSUP;
    int64_t target = saturating_sum(process_clock_now().continuous, duration > 0 ? duration : 0);
    int result = process_clock_settle(limit);
    while (result == 0) {
        // A sleep of zero length moves the clocks by a nanosecond, so they may be beyond the target.
        int64_t left = target - process_clock_now().continuous;
        result = go_to_next_and_settle(left > 0 ? left : 0, limit);
        if (result == EAGAIN) {
            if (left > 0) move(left);
            return 0;
        }
    }
    return result;
}

// MARK: By itself

static struct {
    ZERO_IN_CHILDREN atomic_bool goes_by_itself;
    atomic_int holds;
    atomic_int_least64_t pace_of_a_second;
} own;

__attribute__((constructor(101))) static void be_separate(void) { zero_in_children(&own, sizeof own); }

void process_clock_hold(void) { atomic_fetch_add(&own.holds, 1); }

void process_clock_release(void) {
    if (atomic_fetch_sub(&own.holds, 1) == 1) futex(&own.holds, FUTEX_WAKE_PRIVATE, 1, NULL);
}

// How long the thread pauses, in nanoseconds of the machine's time, before it looks again for a deadline.
static const int64_t poll_interval = 200000;

static void *go_by_itself(void *nothing) {
    pthread_setname_np(pthread_self(), "process-clock");
    while (true) {
        int held;
        while ((held = atomic_load(&own.holds)) > 0) futex(&own.holds, FUTEX_WAIT_PRIVATE, (uint32_t)held, NULL);
        if (settle_unless(FOREVER, &own.holds) != 0 || atomic_load(&own.holds) > 0) continue;
        int64_t left, pace = atomic_load(&own.pace_of_a_second);
        if (!process_clock_until_next(&left)) {
            process_clock_machine_sleep(poll_interval);
            continue;
        }
        if (pace > 0 && left > 0) {
            // Sleeps and moves the clocks in small pieces, because other threads may enter an earlier deadline or read
            // the clocks meanwhile.
            int64_t piece = left < SECOND / 100 ? left : SECOND / 100;
            process_clock_machine_sleep((int64_t)((double)piece * (double)pace / SECOND));
            if (atomic_load(&own.holds) > 0) continue;
            if (piece < left) {
                move(piece);
                continue;
            }
        }
        bool is_examination;
        if (go_to_next(FOREVER - 1, &is_examination) == 0 && is_examination)
            dispatch_monitor_examine(FOREVER, &own.holds);
    }
    return NULL;
}

int process_clock_run_by_itself(int64_t pace) {
    if (!clock_is_virtual()) return ENOTSUP;
    atomic_store(&own.pace_of_a_second, pace);
    if (atomic_exchange(&own.goes_by_itself, true)) return 0;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // The thread blocks all signals, so that it handles none for the program. The exceptions are the signals of its
    // own faults, and SIGPROF, with which Swift's crash reports stop every thread.
    static const int own_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own_signals / sizeof *own_signals; i++) sigdelset(&blocked, own_signals[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int result = pthread_create(&thread, &attributes, go_by_itself, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return result;
}

#endif
