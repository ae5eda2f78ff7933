// Dispatch looks each second whether the workers of its queues are blocked, and starts more of them then. In virtual
// time that timer would be a deadline of every second. It is switched off, and the look is taken before each step: a
// queue whose workers all sleep in virtual time gets another one as it would in real time.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <dlfcn.h>
#include <string.h>

static void *_Atomic monitor;
static void (*_Atomic look)(void *);

// Only Dispatch itself sets a timer of exactly a second without leeway from inside of its library.
static bool is_dispatch(void *caller) {
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libdispatch");
}

void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
    if (interval == SECOND && leeway == 0 && !atomic_load(&monitor) && is_dispatch(__builtin_return_address(0))) {
        atomic_store(&monitor, source);
        if (clock_is_virtual()) start = UINT64_MAX;
    }
    libc()->dispatch_source_set_timer(source, start, interval, leeway);
}

void dispatch_source_set_event_handler_f(void *source, void (*handler)(void *)) {
    if (source == atomic_load(&monitor) && !atomic_load(&look)) atomic_store(&look, handler);
    libc()->dispatch_source_set_event_handler_f(source, handler);
}

void dispatch_monitor_begin(void) {
    void *source = atomic_load(&monitor);
    if (source) libc()->dispatch_source_set_timer(source, UINT64_MAX, UINT64_MAX, 0);
}

void dispatch_monitor_run(void) {
    void (*run)(void *) = atomic_load(&look);
    if (run) run(atomic_load(&monitor));
}

#endif
