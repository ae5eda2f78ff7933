// The state of the process's clocks, the waits with a deadline, and the functions that say what time it is.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

// MARK: What libc does

static struct libc_functions functions;
static atomic_bool functions_are_found;

static void *find(const char *name) {
#if defined(__x86_64__)
    // dlsym would give the condition variables of before 2003, which have another layout.
    if (strncmp(name, "pthread_cond_", 13) == 0) {
        void *current = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
        if (current) return current;
    }
#endif
    return dlsym(RTLD_NEXT, name);
}

// Two threads that find them at once write the same values.
__attribute__((constructor(101))) static void find_functions(void) {
#define CLOCK_FIND(result, name, parameters) *(void **)&functions.name = find(#name);
    CLOCK_FUNCTIONS(CLOCK_FIND)
#undef CLOCK_FIND
    atomic_store_explicit(&functions_are_found, true, memory_order_release);
}

const struct libc_functions *libc(void) {
    if (!atomic_load_explicit(&functions_are_found, memory_order_acquire)) find_functions();
    return &functions;
}

long futex(void *word, int operation, uint32_t value, const struct timespec *timeout) {
    return libc()->syscall(SYS_futex, word, operation, value, timeout, NULL, FUTEX_BITSET_MATCH_ANY);
}

// MARK: The lock

// 0 free, 1 held, 2 held and wanted. A lock of its own, because those of libc are among what is replaced.
static atomic_int lock_word;

void clock_lock(void) {
    int free = 0;
    if (atomic_compare_exchange_strong(&lock_word, &free, 1)) return;
    while (atomic_exchange(&lock_word, 2) != 0) futex(&lock_word, FUTEX_WAIT_PRIVATE, 2, NULL);
}

void clock_unlock(void) {
    if (atomic_exchange(&lock_word, 0) == 2) futex(&lock_word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

// MARK: Numbers

int64_t saturating_sum(int64_t one, int64_t other) {
    int64_t sum;
    if (!__builtin_add_overflow(one, other, &sum)) return sum;
    return one > 0 ? INT64_MAX : INT64_MIN;
}

int64_t nanoseconds(const struct timespec *time) {
    int64_t seconds;
    if (__builtin_mul_overflow((int64_t)time->tv_sec, SECOND, &seconds)) return time->tv_sec > 0 ? INT64_MAX : INT64_MIN;
    return saturating_sum(seconds, time->tv_nsec);
}

struct timespec timespec_of(int64_t nanoseconds) {
    int64_t seconds = nanoseconds / SECOND, rest = nanoseconds % SECOND;
    if (rest < 0) rest += SECOND, seconds -= 1;
    return (struct timespec){.tv_sec = seconds, .tv_nsec = rest};
}

// MARK: The clocks

static atomic_bool is_virtual;
int64_t clock_readings[3];

bool process_clock_is_available(void) { return true; }
bool clock_is_virtual(void) { return atomic_load_explicit(&is_virtual, memory_order_acquire); }
bool process_clock_is_virtual(void) { return clock_is_virtual(); }

bool clock_of(clockid_t id, enum process_clock_id *clock) {
    switch (id) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE: *clock = process_clock_uptime; return true;
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM: *clock = process_clock_continuous; return true;
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM: *clock = process_clock_wall; return true;
    default: return false;  // of the processor's time, or of a device
    }
}

int64_t clock_reading(enum process_clock_id clock) {
    clock_lock();
    int64_t reading = clock_readings[clock];
    clock_unlock();
    return reading;
}

int64_t process_clock_machine_time(void) {
    struct timespec time;
    libc()->clock_gettime(CLOCK_MONOTONIC, &time);
    return nanoseconds(&time);
}

void process_clock_machine_sleep(int64_t duration) {
    struct timespec time = timespec_of(duration);
    libc()->clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static struct process_clock_reading machine_reading(void) {
    struct timespec time[3];
    libc()->clock_gettime(CLOCK_MONOTONIC, &time[0]);
    libc()->clock_gettime(CLOCK_BOOTTIME, &time[1]);
    libc()->clock_gettime(CLOCK_REALTIME, &time[2]);
    return (struct process_clock_reading){nanoseconds(&time[0]), nanoseconds(&time[1]), nanoseconds(&time[2])};
}

struct process_clock_reading process_clock_now(void) {
    if (!clock_is_virtual()) return machine_reading();
    clock_lock();
    struct process_clock_reading now = {clock_readings[0], clock_readings[1], clock_readings[2]};
    clock_unlock();
    return now;
}

int process_clock_begin(struct process_clock_reading now) {
    clock_lock();
    clock_readings[0] = now.uptime, clock_readings[1] = now.continuous, clock_readings[2] = now.wall;
    bool was_virtual = atomic_exchange(&is_virtual, true);
    if (!was_virtual) timer_descriptors_convert();
    clock_unlock();
    if (!was_virtual) dispatch_monitor_begin();
    return 0;
}

void process_clock_jump(int64_t uptime, int64_t continuous, int64_t wall) {
    clock_lock();
    clock_readings[0] = saturating_sum(clock_readings[0], uptime);
    clock_readings[1] = saturating_sum(clock_readings[1], continuous);
    clock_readings[2] = saturating_sum(clock_readings[2], wall);
    clock_unlock();
}

void process_clock_set_wall(int64_t wall) {
    clock_lock();
    clock_readings[process_clock_wall] = wall;
    timer_descriptors_cancel_on_set();
    clock_unlock();
}

void process_clock_sleep_machine(int64_t duration) { process_clock_jump(0, duration, duration); }

// MARK: The waits

static struct wait *first_wait;
static uint64_t next_order;

void wait_enter(struct wait *wait) {
    wait->order = next_order++;
    wait->previous = NULL;
    wait->next = first_wait;
    if (first_wait) first_wait->previous = wait;
    first_wait = wait;
}

bool wait_is_entered(const struct wait *wait) { return wait->previous || wait->next || first_wait == wait; }

void wait_leave(struct wait *wait) {
    if (!wait_is_entered(wait)) return;
    if (wait->previous) wait->previous->next = wait->next;
    else first_wait = wait->next;
    if (wait->next) wait->next->previous = wait->previous;
    wait->previous = wait->next = NULL;
}

static int64_t left_until(const struct wait *wait) {
    int64_t left;
    if (__builtin_sub_overflow(wait->deadline, clock_readings[wait->clock], &left)) return INT64_MAX;
    return left;
}

// The instant of uptime at which the process was woken last.
static int64_t awake_at = -1;

void clock_woken(void) { awake_at = clock_readings[process_clock_uptime]; }

void process_clock_wake(void) {
    clock_lock();
    clock_woken();
    clock_unlock();
}

// With the tolerance of timers.
static int64_t left_until_due(const struct wait *wait) {
    int64_t left = left_until(wait);
    if (!wait->is_of_run_loop || (left <= 0 && awake_at == clock_readings[process_clock_uptime])) return left;
    return saturating_sum(left, run_loop_timers_latest(wait->deadline) - wait->deadline);
}

static bool is_before(int64_t left, const struct wait *wait, int64_t other_left, const struct wait *other) {
    return left != other_left ? left < other_left : wait->order < other->order;
}

struct wait *wait_earliest(int64_t *left) {
    struct wait *earliest = NULL;
    for (struct wait *wait = first_wait; wait; wait = wait->next) {
        int64_t own = left_until_due(wait);
        if (earliest && !is_before(own, wait, *left, earliest)) continue;
        earliest = wait;
        *left = own;
    }
    return earliest;
}

struct wait *wait_find(bool (*matches)(const struct wait *, const void *), const void *argument) {
    for (struct wait *wait = first_wait; wait; wait = wait->next) {
        if (matches(wait, argument)) return wait;
    }
    return NULL;
}

int wait_sleep(struct wait *wait) {
    while (atomic_load(&wait->state) == wait_is_pending) {
        if (futex(&wait->state, FUTEX_WAIT_PRIVATE, wait_is_pending, NULL) != 0 && errno == EINTR) return EINTR;
    }
    return 0;
}

void wait_wake(struct wait *wait, int reason) {
    atomic_store(&wait->state, reason);
    futex(&wait->state, FUTEX_WAKE_PRIVATE, 1, NULL);
}

size_t process_clock_waits(struct process_clock_wait *waits, size_t capacity) {
    clock_lock();
    size_t count = 0, written = 0;
    for (struct wait *wait = first_wait; wait; wait = wait->next) {
        count++;
        struct process_clock_wait row = {wait->call, wait->thread, wait->clock, left_until(wait)};
        // Sorted by insertion: there are few. What does not fit is what is due last.
        size_t place = written;
        while (place > 0 && waits[place - 1].left > row.left) place--;
        if (place >= capacity) continue;
        if (written < capacity) written++;
        memmove(&waits[place + 1], &waits[place], (written - place - 1) * sizeof(row));
        waits[place] = row;
    }
    clock_unlock();
    return count;
}

// MARK: What time is it

int clock_gettime(clockid_t id, struct timespec *time) {
    enum process_clock_id clock;
    if (!clock_is_virtual() || !clock_of(id, &clock)) return libc()->clock_gettime(id, time);
    *time = timespec_of(clock_reading(clock));
    return 0;
}

int clock_settime(clockid_t id, const struct timespec *time) {
    if (!clock_is_virtual() || id != CLOCK_REALTIME) return libc()->clock_settime(id, time);
    process_clock_set_wall(nanoseconds(time));
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    if (!clock_is_virtual()) return libc()->gettimeofday(time, zone);
    struct timespec now = timespec_of(clock_reading(process_clock_wall));
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

int settimeofday(const struct timeval *time, const struct timezone *zone) {
    if (!clock_is_virtual() || !time) return libc()->settimeofday(time, zone);
    process_clock_set_wall(time->tv_sec * SECOND + time->tv_usec * 1000);
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int timespec_get(struct timespec *time, int base) {
    if (base != TIME_UTC) return 0;
    clock_gettime(CLOCK_REALTIME, time);
    return base;
}

#else

#include <errno.h>
#include <time.h>

// Time stays real. Everything that would make it virtual says so, and nothing else is ever called.
bool process_clock_is_available(void) { return false; }
bool process_clock_is_virtual(void) { return false; }
int process_clock_begin(struct process_clock_reading now) { return ENOTSUP; }
struct process_clock_reading process_clock_now(void) { return (struct process_clock_reading){0, 0, 0}; }
void process_clock_jump(int64_t uptime, int64_t continuous, int64_t wall) {}
void process_clock_set_wall(int64_t wall) {}
int process_clock_settle(int64_t limit) { return ENOTSUP; }
bool process_clock_until_next(int64_t *left) { return false; }
int process_clock_step(int64_t within, int64_t limit) { return ENOTSUP; }
int process_clock_advance(int64_t duration, int64_t limit) { return ENOTSUP; }
void process_clock_sleep_machine(int64_t duration) {}
int process_clock_run_by_itself(int64_t pace) { return ENOTSUP; }
void process_clock_hold(void) {}
void process_clock_release(void) {}
void process_clock_wake(void) {}
uint64_t process_clock_steps(void) { return 0; }
size_t process_clock_waits(struct process_clock_wait *waits, size_t capacity) { return 0; }
uint64_t process_clock_offset(void (*program)(void)) { return 0; }
int32_t process_clock_running_thread(void) { return 0; }
int64_t process_clock_running_for(void) { return 0; }

int64_t process_clock_machine_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void process_clock_machine_sleep(int64_t duration) {
    struct timespec time = {.tv_sec = duration / 1000000000, .tv_nsec = duration % 1000000000};
    nanosleep(&time, NULL);
}

#endif
