// Steps: from deadline to deadline, by hand or by a thread of the clock's own.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <limits.h>
#include <linux/futex.h>

static atomic_uint_least64_t steps;

uint64_t process_clock_steps(void) { return atomic_load(&steps); }

// With the lock held: how long until the next deadline or look at Dispatch's workers; FOREVER when there is none. The
// wait is that of the deadline, or NULL for a look.
static int64_t left_until_next(struct wait **wait) {
    int64_t left = FOREVER, look = dispatch_monitor_left();
    *wait = wait_earliest(&left);
    if (!*wait) left = FOREVER;
    if (look >= left) return left > 0 ? left : 0;
    *wait = NULL;
    return look;
}

bool process_clock_until_next(int64_t *left) {
    struct wait *wait;
    clock_lock();
    *left = left_until_next(&wait);
    clock_unlock();
    return *left != FOREVER;
}

static void move(int64_t duration) { process_clock_jump(duration, duration, duration); }

// Goes to what comes next, if it is within reach: EAGAIN otherwise. Deadlines are fired one at a time: what one wakes
// runs before the next one. Everything is at rest before, and after.
static int go_to_next(int64_t within, int64_t limit) {
    struct wait *wait;
    clock_lock();
    int64_t left = left_until_next(&wait);
    if (left == FOREVER || left > within) {
        clock_unlock();
        return EAGAIN;
    }
    for (int clock = 0; clock < 3; clock++) clock_readings[clock] = saturating_sum(clock_readings[clock], left);
    if (wait) {
        wait_leave(wait);
        clock_woken();
        wait->fire(wait);
        atomic_fetch_add(&steps, 1);
        dispatch_monitor_continue();
    }
    clock_unlock();
    return wait ? process_clock_settle(limit) : dispatch_monitor_look(limit);
}

int process_clock_step(int64_t within, int64_t limit) {
    if (!clock_is_virtual()) return ENOTSUP;
    uint64_t before = process_clock_steps();
    int64_t end = saturating_sum(process_clock_now().continuous, within > 0 ? within : 0);
    int result = process_clock_settle(limit);
    // A look at Dispatch's workers is not a step.
    while (result == 0 && process_clock_steps() == before) {
        int64_t left = end - process_clock_now().continuous;
        result = go_to_next(left > 0 ? left : 0, limit);
    }
    return result;
}

int process_clock_advance(int64_t duration, int64_t limit) {
    if (!clock_is_virtual()) return ENOTSUP;
    int64_t target = saturating_sum(process_clock_now().continuous, duration > 0 ? duration : 0);
    int result = process_clock_settle(limit);
    while (result == 0) {
        // A sleep of no length moves the clocks by a nanosecond, perhaps beyond the target.
        int64_t left = target - process_clock_now().continuous;
        result = go_to_next(left > 0 ? left : 0, limit);
        if (result == EAGAIN) {
            if (left > 0) move(left);
            return 0;
        }
    }
    return result;
}

// MARK: By itself

static atomic_bool goes_by_itself;
static atomic_int holds;
static atomic_int_least64_t pace_of_a_second;

void process_clock_hold(void) { atomic_fetch_add(&holds, 1); }

void process_clock_release(void) {
    if (atomic_fetch_sub(&holds, 1) == 1) futex(&holds, FUTEX_WAKE_PRIVATE, 1, NULL);
}

// How long a wait for the kernel may be during which nothing steps, so that a deadline that comes late is seen.
static const int64_t look_again = 200000;

static void *go_by_itself(void *nothing) {
    pthread_setname_np(pthread_self(), "process-clock");
    while (true) {
        int held;
        while ((held = atomic_load(&holds)) > 0) futex(&holds, FUTEX_WAIT_PRIVATE, (uint32_t)held, NULL);
        if (process_clock_settle(FOREVER) != 0 || atomic_load(&holds) > 0) continue;
        int64_t left, pace = atomic_load(&pace_of_a_second);
        if (!process_clock_until_next(&left)) {
            process_clock_machine_sleep(look_again);
            continue;
        }
        if (pace > 0 && left > 0) {
            // In small pieces: an earlier deadline may come, and the clocks are read meanwhile.
            int64_t piece = left < SECOND / 100 ? left : SECOND / 100;
            process_clock_machine_sleep((int64_t)((double)piece * (double)pace / SECOND));
            if (atomic_load(&holds) > 0) continue;
            if (piece < left) {
                move(piece);
                continue;
            }
        }
        go_to_next(FOREVER - 1, FOREVER);
    }
    return NULL;
}

int process_clock_run_by_itself(int64_t pace) {
    if (!clock_is_virtual()) return ENOTSUP;
    atomic_store(&pace_of_a_second, pace);
    if (atomic_exchange(&goes_by_itself, true)) return 0;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&thread, &attributes, go_by_itself, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return result;
}

#endif
