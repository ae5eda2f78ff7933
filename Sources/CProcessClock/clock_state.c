// The clocks' readings, the list of waits, and the functions that read the clocks.
//
// The clock's only lock protects the list and every change of a reading. It is not recursive and is held for a few
// instructions; a fork takes it. A reading is read without it, so that signal handlers can read the clocks. All other
// functions that take the lock deadlock in a handler that has interrupted its holder.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <linux/futex.h>
#include <string.h>

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

// A thread that forks holds the lock meanwhile, or the child would have it locked by a thread that it does not have.
__attribute__((constructor(101))) static void survive_forks(void) {
    pthread_atfork(clock_lock, clock_unlock, clock_unlock);
}

// MARK: The clocks

static atomic_bool is_virtual;
_Atomic int64_t clock_readings[3];

bool process_clock_is_available(void) { return true; }
bool clock_is_virtual(void) { return atomic_load_explicit(&is_virtual, memory_order_acquire); }
bool clock_make_virtual(void) { return !atomic_exchange(&is_virtual, true); }
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
    default: return false;  // processor time, or a device
    }
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

void process_clock_jump(int64_t uptime, int64_t continuous, int64_t wall) {
    clock_lock();
    clock_readings[0] = saturating_sum(clock_readings[0], uptime);
    clock_readings[1] = saturating_sum(clock_readings[1], continuous);
    clock_readings[2] = saturating_sum(clock_readings[2], wall);
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

bool wait_begin(struct wait *wait) {
    clock_lock();
    bool is_due = wait->deadline <= clock_readings[wait->clock];
    if (!is_due) wait_enter(wait);
    clock_unlock();
    return !is_due;
}

void wait_end(void *wait) {
    clock_lock();
    wait_leave(wait);
    clock_unlock();
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

// The instant of uptime at which something last woke the process.
static int64_t awake_at = -1;

void clock_woken(void) { awake_at = clock_readings[process_clock_uptime]; }

void process_clock_wake(void) {
    clock_lock();
    clock_woken();
    clock_unlock();
}

static int64_t left_until_due(const struct wait *wait) {
    int64_t left = left_until(wait);
    if (!wait->latest || (left <= 0 && awake_at == clock_readings[process_clock_uptime])) return left;
    return saturating_sum(left, wait->latest(wait->deadline) - wait->deadline);
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
        // Insertion sort: there are few waits. Those that do not fit are due last.
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

// MARK: Reading the clocks

int clock_gettime(clockid_t id, struct timespec *time) {
    enum process_clock_id clock;
    if (!clock_is_virtual() || !clock_of(id, &clock)) return libc()->clock_gettime(id, time);
    *time = timespec_of(clock_readings[clock]);
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    if (!clock_is_virtual()) return libc()->gettimeofday(time, zone);
    struct timespec now = timespec_of(clock_readings[process_clock_wall]);
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
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

#endif
