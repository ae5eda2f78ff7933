// Lets timers of Foundation's run loops behave as on Apple's systems, in the process of a simulated app.
//
// On Linux, Core Foundation's functions that set and get a timer's tolerance do nothing, and a `Timer` that is
// initialized with an interval and no date fires at once. The functions here replace those, because the dynamic linker
// prefers a program's definitions to those of libraries. They are weak, so that a program with a statically linked
// Foundation has Foundation's own functions. Until `run_loop_timers_begin`, the functions here call Foundation's. Only
// functions that Foundation exports are used.
//
// Owns the table of timers, which the clock's lock protects. Foundation's functions run without the clock's lock,
// because they use locks of their own, which may call the clock. Only CFRetain runs with the clock's lock, because
// CFRetain uses no lock of its own.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef void *cf_timer;

WEAK void CFRetain(void *object);
WEAK void CFRelease(void *object);
WEAK double CFAbsoluteTimeGetCurrent(void);
WEAK double CFRunLoopTimerGetInterval(cf_timer timer);
WEAK double CFRunLoopTimerGetNextFireDate(cf_timer timer);
WEAK unsigned char CFRunLoopTimerIsValid(cf_timer timer);

static void *foundation(const char *name) { return dlsym(RTLD_NEXT, name); }

static atomic_bool is_on;

// The function that run_loop_timers_begin received. It is called once; the pointer is NULL after that.
static _Atomic(void (*)(void)) fires_at_once;

bool run_loop_timers_begin(void (*notify)(void)) {
    bool is_there = CFRetain && CFRelease && CFAbsoluteTimeGetCurrent && CFRunLoopTimerGetInterval
        && CFRunLoopTimerGetNextFireDate && CFRunLoopTimerIsValid;
    if (clock_is_virtual() && is_there) {
        atomic_store(&fires_at_once, notify);
        atomic_store(&is_on, true);
    }
    return atomic_load(&is_on);
}

// MARK: The timers

struct timer {
    // The timer is retained until it is found to be no longer valid.
    cf_timer timer;
    bool is_in_run_loop;
    double tolerance;
    // The next fire date: `date` is Foundation's, and `uptime` is the same moment on the uptime clock.
    double date;
    int64_t uptime;
};

static struct timer *timers;
static size_t timer_count, timer_capacity;

// With the lock held: returns the timer's row; NULL if it has none.
static struct timer *row_of(cf_timer timer) {
    for (size_t i = timer_count; i-- > 0;) {
        if (timers[i].timer == timer) return &timers[i];
    }
    return NULL;
}

// With the lock held: returns the timer's row, which is added if the timer is new, and retains the timer.
static struct timer *kept(cf_timer timer) {
    struct timer *row = row_of(timer);
    if (row) return row;
    if (timer_count == timer_capacity) {
        timer_capacity = timer_capacity ? 2 * timer_capacity : 64;
        timers = realloc(timers, timer_capacity * sizeof(struct timer));
        if (!timers) abort();
    }
    CFRetain(timer);
    timers[timer_count] = (struct timer){.timer = timer};
    return &timers[timer_count++];
}

// Returns a timer that is retained for the caller; NULL after the last one.
static cf_timer timer_at(size_t index) {
    clock_lock();
    cf_timer timer = index < timer_count ? timers[index].timer : NULL;
    if (timer) CFRetain(timer);
    clock_unlock();
    return timer;
}

static int64_t uptime_of(double date) {
    double left = (date - CFAbsoluteTimeGetCurrent()) * SECOND;
    return saturating_sum(clock_readings[process_clock_uptime], left > 9e18 ? FOREVER : left < 0 ? 0 : (int64_t)left);
}

void run_loop_timers_examine(void) {
    if (!atomic_load(&is_on)) return;
    cf_timer timer;
    for (size_t i = 0; (timer = timer_at(i)); CFRelease(timer)) {
        bool is_valid = CFRunLoopTimerIsValid(timer);
        double date = CFRunLoopTimerGetNextFireDate(timer);
        int64_t uptime = uptime_of(date);
        clock_lock();
        struct timer *row = row_of(timer);
        bool is_gone = row && !is_valid;
        if (is_gone) *row = timers[--timer_count];
        else i++;
        // Foundation fires a timer by uptime. A date that has not changed therefore keeps its instant when the wall
        // clock is set.
        if (row && is_valid && row->date != date) row->date = date, row->uptime = uptime;
        clock_unlock();
        if (is_gone) CFRelease(timer);
    }
}

// Notes that the timer is in a run loop.
WEAK void CFRunLoopAddTimer(void *loop, cf_timer timer, const void *mode) {
    if (timer && atomic_load(&is_on)) {
        clock_lock();
        kept(timer)->is_in_run_loop = true;
        clock_unlock();
    }
    void (*add)(void *, cf_timer, const void *) = foundation("CFRunLoopAddTimer");
    add(loop, timer, mode);
}

// MARK: The tolerance

WEAK double CFRunLoopTimerGetTolerance(cf_timer timer) {
    if (!atomic_load(&is_on)) {
        double (*get)(cf_timer) = foundation("CFRunLoopTimerGetTolerance");
        return get ? get(timer) : 0;
    }
    clock_lock();
    struct timer *row = row_of(timer);
    double tolerance = row ? row->tolerance : 0;
    clock_unlock();
    return tolerance;
}

// Limits the tolerance to half of the interval, as Core Foundation does on Apple's systems, and to zero or more.
WEAK void CFRunLoopTimerSetTolerance(cf_timer timer, double tolerance) {
    if (!atomic_load(&is_on)) {
        void (*set)(cf_timer, double) = foundation("CFRunLoopTimerSetTolerance");
        if (set) set(timer, tolerance);
        return;
    }
    double interval = CFRunLoopTimerGetInterval(timer);
    if (!(tolerance > 0)) tolerance = 0;
    if (interval > 0 && tolerance > interval / 2) tolerance = interval / 2;
    clock_lock();
    kept(timer)->tolerance = tolerance;
    clock_unlock();
}

int64_t run_loop_timers_latest(int64_t deadline) {
    // Foundation's dates are exact to microseconds.
    const int64_t error = 2000;
    int64_t latest = FOREVER;
    bool is_of_timer = false;
    for (size_t i = 0; i < timer_count; i++) {
        const struct timer *row = &timers[i];
        if (!row->is_in_run_loop || row->uptime < saturating_sum(deadline, -error)) continue;
        bool is_first = row->uptime <= saturating_sum(deadline, error);
        is_of_timer |= is_first;
        // A tolerance of more than thirty years counts as unlimited.
        int64_t end = row->tolerance < 1e9
            ? saturating_sum(is_first ? deadline : row->uptime, (int64_t)(row->tolerance * SECOND)) : FOREVER;
        if (end < latest) latest = end;
    }
    return is_of_timer ? latest : deadline;
}

bool is_called_by_run_loops(void *caller) {
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "/libFoundation.so");
}

// MARK: The first fire date

// The symbols of the initializer `Timer.init(timeInterval:repeats:block:)`, of the method
// `Timer.init(fire:interval:repeats:block:)` of the class, and of the class itself.
#define INTERVAL_INIT "$s10Foundation5TimerC12timeInterval7repeats5blockACSd_SbyACYbctcfC"
extern char fire_date_init __asm__(
    "$s10Foundation5TimerC4fire8interval7repeats5blockAC0A10Essentials4DateV_SdSbyACYbctcfCTq") WEAK;
extern char timer_class __asm__("$s10Foundation5TimerCMn") WEAK;
WEAK void *swift_lookUpClassMethod(const void *metadata, const void *method, const void *class);

WEAK SWIFT void *timer_with_interval(double interval, bool repeats, void *block, void *context, SELF void *class)
    __asm__(INTERVAL_INIT);

typedef SWIFT void *(*interval_init)(double, bool, void *, void *, SELF void *);
typedef SWIFT void *(*date_init)(double, double, bool, void *, void *, SELF void *);

WEAK SWIFT void *timer_with_interval(double interval, bool repeats, void *block, void *context, SELF void *class) {
    if (atomic_load(&is_on) && swift_lookUpClassMethod && &fire_date_init && &timer_class) {
        // If a subclass overrides `Timer.init(fire:interval:repeats:block:)`, its initializer is found and called.
        date_init init = (date_init)swift_lookUpClassMethod(class, &fire_date_init, &timer_class);
        return init(CFAbsoluteTimeGetCurrent() + interval, interval, repeats, block, context, class);
    }
    interval_init init = (interval_init)foundation(INTERVAL_INIT);
    if (!init) abort();
    return init(interval, repeats, block, context, class);
}

// The initializer to which `Timer.init(fire:interval:repeats:block:)` passes a new object. Outside Foundation, only
// optimized code and the code of subclasses call it directly.
#define DATE_INIT "$s10Foundation5TimerC4fire8interval7repeats5blockAC0A10Essentials4DateV_SdSbyACYbctcfc"

WEAK SWIFT void *timer_with_date(double date, double interval, bool repeats, void *block, void *context, SELF void *timer)
    __asm__(DATE_INIT);

WEAK SWIFT void *timer_with_date(double date, double interval, bool repeats, void *block, void *context, SELF void *timer) {
    if (atomic_load(&is_on) && interval > 0 && date <= CFAbsoluteTimeGetCurrent()
        && !is_called_by_run_loops(__builtin_return_address(0))) {
        void (*notify)(void) = atomic_exchange(&fires_at_once, NULL);
        if (notify) notify();
    }
    date_init init = (date_init)foundation(DATE_INIT);
    if (!init) abort();
    return init(date, interval, repeats, block, context, timer);
}

#endif
