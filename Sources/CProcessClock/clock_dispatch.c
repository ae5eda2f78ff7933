// Takes over Dispatch's examination of its workers. Each second, Dispatch checks whether the workers of a queue are
// blocked, and starts another worker if they are. The timer of this examination would be a deadline in every second, so
// it is switched off. Instead, the steps call the examination at each whole second until an examination has made no
// thread run. The examinations begin again after the next deadline.
//
// The functions here are weak, so that a program with a statically linked Dispatch uses Dispatch's own functions. In
// such a program, the examination remains a deadline in every second.
//
// Owns the source and the handler of Dispatch's timer, which are found when Dispatch sets them. Also owns the instant
// of the next examination, which the clock's lock protects. Dispatch's code runs without the lock.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <dlfcn.h>
#include <string.h>

static void *_Atomic monitor;
static void (*_Atomic examine)(void *);

// Whether the caller is in Dispatch's library. Such a caller sets a timer of exactly one second without leeway only for
// the examination.
static bool is_dispatch(void *caller) {
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libdispatch");
}

__attribute__((weak)) void dispatch_source_set_timer(
    void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
    if (interval == SECOND && leeway == 0 && !atomic_load(&monitor) && is_dispatch(__builtin_return_address(0))) {
        atomic_store(&monitor, source);
        if (clock_is_virtual()) start = UINT64_MAX;
    }
    libc()->dispatch_source_set_timer(source, start, interval, leeway);
}

__attribute__((weak)) void dispatch_source_set_event_handler_f(void *source, void (*handler)(void *)) {
    if (source == atomic_load(&monitor) && !atomic_load(&examine)) atomic_store(&examine, handler);
    libc()->dispatch_source_set_event_handler_f(source, handler);
}

void dispatch_monitor_begin(void) {
    void *source = atomic_load(&monitor);
    if (source) libc()->dispatch_source_set_timer(source, UINT64_MAX, UINT64_MAX, 0);
}

// Both are protected by the clock's lock. `rests` means that no examination is needed before the next deadline;
// otherwise `due` is the instant of uptime of the next examination.
static bool rests;
static int64_t due;

int64_t dispatch_monitor_left(void) {
    if (rests || !atomic_load(&examine)) return FOREVER;
    int64_t left = due - clock_readings[process_clock_uptime];
    return left > 0 ? left : 0;
}

static void wait_for_next_second(void) { due = (clock_readings[process_clock_uptime] / SECOND + 1) * SECOND; }

void dispatch_monitor_continue(void) {
    if (!rests) return;
    rests = false;
    wait_for_next_second();
}

int dispatch_monitor_examine(int64_t limit, const atomic_int *unless) {
    void (*run)(void *) = atomic_load(&examine);
    uint64_t activity = process_clock_activity();
    run(atomic_load(&monitor));
    int result = settle_unless(limit, unless);
    bool nothing_ran = process_clock_activity() == activity;
    clock_lock();
    rests = nothing_ran;
    wait_for_next_second();
    clock_unlock();
    return result;
}

#endif
