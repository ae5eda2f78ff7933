// Timers of Foundation's run loops, in the process of a simulated app, as on Apple's systems.
//
// Core Foundation has a place for a timer's tolerance, and plans with it, but on Linux its functions that set and get it
// do nothing; and the initializer of `Timer` with an interval and no date has it fire at once. The functions here stand
// in the place of those: the dynamic linker prefers a program's definitions to those of libraries. They are weak, so
// that a program with a Foundation of its own, linked statically, has that one's. Without `run_loop_timers_begin` they
// hand on to Foundation.
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
WEAK cf_timer CFRunLoopTimerCreate(
    const void *allocator, double date, double interval, uintptr_t flags, intptr_t order, void (*call)(cf_timer, void *),
    void *context);
WEAK double CFRunLoopTimerGetInterval(cf_timer timer);
WEAK unsigned char CFRunLoopTimerIsValid(cf_timer timer);

static void *foundation(const char *name) { return dlsym(RTLD_NEXT, name); }

static atomic_bool is_on, has_tolerances;

// MARK: What Core Foundation keeps of a timer

// Where a timer has its tolerance, as a double, and its fire date in nanoseconds of uptime: in words from its address.
static size_t tolerance_place, date_place;

static double tolerance_of(cf_timer timer) {
    double tolerance;
    memcpy(&tolerance, (uint64_t *)timer + tolerance_place, sizeof(tolerance));
    return tolerance;
}

static int64_t date_of(cf_timer timer) { return (int64_t)((uint64_t *)timer)[date_place]; }

static void never(cf_timer timer, void *context) { (void)timer, (void)context; }

// The date, the interval, the tolerance and the uptime follow one another. They are looked for in a timer of which all
// four are known, because how long the lock before them is depends on the processor.
static bool find_places(void) {
    if (!CFRunLoopTimerCreate || !CFAbsoluteTimeGetCurrent || !CFRelease || !CFRetain || !CFRunLoopTimerIsValid
        || !CFRunLoopTimerGetInterval)
        return false;
    const double interval = 98765.4321, delay = 4321, tolerance = 0;
    double date = CFAbsoluteTimeGetCurrent() + delay;
    int64_t uptime = clock_readings[process_clock_uptime] + (int64_t)delay * SECOND;
    cf_timer timer = CFRunLoopTimerCreate(NULL, date, interval, 0, 0, never, NULL);
    if (!timer) return false;
    uint64_t *words = timer;
    // A timer is longer than that.
    const size_t length = 19;
    size_t found = 0;
    for (size_t place = 3; place < length; place++) {
        int64_t error = (int64_t)words[place] - uptime;
        if (memcmp(&words[place - 3], &date, 8) == 0 && memcmp(&words[place - 2], &interval, 8) == 0
            && memcmp(&words[place - 1], &tolerance, 8) == 0 && error > -1000 && error < 1000)
            found = place;
    }
    CFRelease(timer);
    tolerance_place = found - 1, date_place = found;
    return found > 0;
}

bool run_loop_timers_begin(void) {
    if (!clock_is_virtual() || !find_places()) return false;
    atomic_store(&is_on, true);
    return true;
}

// MARK: The tolerance

WEAK double CFRunLoopTimerGetTolerance(cf_timer timer) {
    if (atomic_load(&is_on)) return tolerance_of(timer);
    double (*get)(cf_timer) = foundation("CFRunLoopTimerGetTolerance");
    return get ? get(timer) : 0;
}

// At most half of the interval, as in Core Foundation on Apple's systems, and not negative.
WEAK void CFRunLoopTimerSetTolerance(cf_timer timer, double tolerance) {
    if (!atomic_load(&is_on)) {
        void (*set)(cf_timer, double) = foundation("CFRunLoopTimerSetTolerance");
        if (set) set(timer, tolerance);
        return;
    }
    double interval = CFRunLoopTimerGetInterval(timer);
    if (!(tolerance > 0)) tolerance = 0;
    if (interval > 0 && tolerance > interval / 2) tolerance = interval / 2;
    memcpy((uint64_t *)timer + tolerance_place, &tolerance, sizeof(tolerance));
    if (tolerance > 0) atomic_store(&has_tolerances, true);
}

// The timers of all run loops, each retained; those that have become invalid go when there is no room.
static cf_timer *timers;
static size_t timer_count, timer_capacity;

// With the lock held: makes room for one more. The timers to be released, which is done without the lock, are those
// after the ones that stay.
static bool make_room(cf_timer **released, size_t *released_count) {
    if (timer_count < timer_capacity) return true;
    size_t kept = 0;
    cf_timer *gone = malloc(timer_count * sizeof(cf_timer) + 1);
    if (!gone) return false;
    *released = gone;
    for (size_t i = 0; i < timer_count; i++) {
        if (CFRunLoopTimerIsValid(timers[i])) timers[kept++] = timers[i];
        else gone[(*released_count)++] = timers[i];
    }
    timer_count = kept;
    if (2 * timer_count < timer_capacity) return true;
    size_t capacity = timer_capacity ? 2 * timer_capacity : 64;
    cf_timer *more = realloc(timers, capacity * sizeof(cf_timer));
    if (!more) return timer_count < timer_capacity;
    timers = more, timer_capacity = capacity;
    return true;
}

static void keep(cf_timer timer) {
    cf_timer *released = NULL;
    size_t released_count = 0;
    CFRetain(timer);
    clock_lock();
    bool is_known = false;
    for (size_t i = timer_count; i-- > 0 && !is_known;) is_known = timers[i] == timer;
    if (!is_known && make_room(&released, &released_count)) timers[timer_count++] = timer;
    else is_known = true;
    clock_unlock();
    if (is_known) CFRelease(timer);
    for (size_t i = 0; i < released_count; i++) CFRelease(released[i]);
    free(released);
}

// A run loop gets a timer.
WEAK void CFRunLoopAddTimer(void *loop, cf_timer timer, const void *mode) {
    if (timer && atomic_load(&is_on)) keep(timer);
    void (*add)(void *, cf_timer, const void *) = foundation("CFRunLoopAddTimer");
    add(loop, timer, mode);
}

int64_t run_loop_timers_latest(int64_t deadline) {
    if (!atomic_load_explicit(&has_tolerances, memory_order_relaxed)) return deadline;
    int64_t latest = FOREVER;
    bool is_of_timer = false;
    for (size_t i = 0; i < timer_count; i++) {
        int64_t date = date_of(timers[i]);
        if (date < deadline || date >= latest || !CFRunLoopTimerIsValid(timers[i])) continue;
        is_of_timer |= date == deadline;
        // One of more than thirty years is without end.
        double tolerance = tolerance_of(timers[i]);
        int64_t end = tolerance < 1e9 ? saturating_sum(date, (int64_t)(tolerance * SECOND)) : FOREVER;
        if (end < latest) latest = end;
    }
    return is_of_timer ? latest : deadline;
}

bool is_called_by_run_loops(void *caller) {
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "/libFoundation.so");
}

// MARK: The first fire date

// `Timer.init(timeInterval:repeats:block:)`, `Timer.init(fire:interval:repeats:block:)` as a method of the class, and the
// class.
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
        // Of a subclass, its own.
        date_init init = (date_init)swift_lookUpClassMethod(class, &fire_date_init, &timer_class);
        return init(CFAbsoluteTimeGetCurrent() + interval, interval, repeats, block, context, class);
    }
    interval_init init = (interval_init)foundation(INTERVAL_INIT);
    if (!init) abort();
    return init(interval, repeats, block, context, class);
}

#endif
