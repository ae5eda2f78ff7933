// The clocks' readings, the list of waits, and the functions that read the clocks.
//
// The clock's only lock protects the list and every change of a reading. The lock is not recursive, and is held for a
// few instructions. Its holder has blocked all signals. Reading a clock does not need the lock. In a forked child, the
// lock is free and the list is empty.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

// MARK: The lock

static struct {
    // 0: free; 1: held; 2: held, and another thread may wait for it. It is not a lock of libc, because libc's locks are
    // among the calls that are replaced.
    ZERO_IN_CHILDREN atomic_int lock;
    // The signals that were blocked on the holder's thread.
    uint64_t blocked_signals;
    atomic_bool is_virtual;
    // The number of the virtual time, which differs from the numbers in this process's ancestors; 0 in a child whose
    // time is the machine's.
    uint64_t virtual_time;
    struct wait *first_wait, *free_waits;
    uint64_t next_order;
    // The instant of uptime at which something last woke the process.
    int64_t awake_at;
} own;

__attribute__((constructor(101))) static void be_separate(void) { zero_in_children(&own, sizeof own); }

// The system call is made by its number, because libc's function does not block the signal by which a thread is
// cancelled.
static void block_signals(const uint64_t *blocked, uint64_t *before) {
    libc()->syscall(SYS_rt_sigprocmask, SIG_SETMASK, blocked, before, sizeof *blocked);
}

void clock_lock(void) {
    const uint64_t all = UINT64_MAX;
    uint64_t before;
    block_signals(&all, &before);
    int free = 0;
    if (!atomic_compare_exchange_strong(&own.lock, &free, 1)) {
        while (atomic_exchange(&own.lock, 2) != 0) futex(&own.lock, FUTEX_WAIT_PRIVATE, 2, NULL);
    }
    own.blocked_signals = before;
}

void clock_unlock(void) {
    uint64_t before = own.blocked_signals;
    if (atomic_exchange(&own.lock, 0) == 2) futex(&own.lock, FUTEX_WAKE_PRIVATE, 1, NULL);
    block_signals(&before, NULL);
}

// MARK: The clocks

_Alignas(CLOCK_PAGE) _Atomic int64_t clock_readings[CLOCK_PAGE / sizeof(int64_t)];

bool clock_is_virtual(void) { return atomic_load_explicit(&own.is_virtual, memory_order_acquire); }

bool clock_make_virtual(void) {
    static uint64_t virtual_times;
    if (clock_is_virtual()) return false;
    own.virtual_time = ++virtual_times;
    own.awake_at = -1;
    atomic_store(&own.is_virtual, true);
    return true;
}

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
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: *clock = process_clock_wall; return true;
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

// The addition is atomic, because other processes may share the page of the readings, but not the lock.
static void add(_Atomic int64_t *reading, int64_t duration) {
    int64_t before = atomic_load(reading);
    while (!atomic_compare_exchange_weak(reading, &before, saturating_sum(before, duration))) {}
}

void clock_move(int64_t uptime, int64_t continuous, int64_t wall) {
    add(&clock_readings[process_clock_uptime], uptime);
    add(&clock_readings[process_clock_continuous], continuous);
    add(&clock_readings[process_clock_wall], wall);
}

void process_clock_jump(int64_t uptime, int64_t continuous, int64_t wall) {
    clock_lock();
    clock_move(uptime, continuous, wall);
    clock_unlock();
}

void process_clock_sleep_machine(int64_t duration) { process_clock_jump(0, duration, duration); }

// MARK: The waits

// The thread's last wait that has not been freed. In a forked child, it may be a wait of the parent.
static _Thread_local __attribute__((tls_model("initial-exec"))) struct wait *innermost;
static _Thread_local __attribute__((tls_model("initial-exec"))) int32_t this_thread;
static _Thread_local __attribute__((tls_model("initial-exec"))) uint64_t this_virtual_time;

// With the lock held: takes a free wait. New waits come from mmap, because `malloc` is not async-signal-safe.
static struct wait *take_free_wait(void) {
    enum { count = 256 };
    if (!own.free_waits) {
        struct wait *more = mmap(
            NULL, count * sizeof(struct wait), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED) abort();
        for (int i = 0; i < count; i++) more[i].next = i + 1 < count ? &more[i + 1] : NULL;
        own.free_waits = more;
    }
    struct wait *wait = own.free_waits;
    own.free_waits = wait->next;
    return wait;
}

// With the lock held: takes a wait out of the list, and frees it.
static void free_wait(struct wait *wait) {
    wait_leave(wait);
    close_own_descriptor(wait->descriptor);
    if (wait->counter) atomic_fetch_sub(wait->counter, 1);
    if (innermost == wait) innermost = wait->outer;
    wait->next = own.free_waits;
    own.free_waits = wait;
}

static bool is_on_alternate_stack(void) {
    stack_t stack;
    return sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK;
}

// With the lock held: frees the waits that the thread has left by a jump out of a signal handler. A wait is still in
// use if its frame is at a higher address of the stack than `frame`. On an alternate stack the addresses do not show
// this, so nothing is freed.
static void free_left_waits(void *frame) {
    if (this_virtual_time != own.virtual_time) {
        innermost = NULL;
        this_thread = (int32_t)libc()->syscall(SYS_gettid);
        this_virtual_time = own.virtual_time;
    }
    while (innermost && (uintptr_t)innermost->frame <= (uintptr_t)frame && !is_on_alternate_stack())
        free_wait(innermost);
}

__attribute__((noinline)) struct wait *wait_new(
    const char *call, enum process_clock_id clock, int64_t deadline, void *object, void (*fire)(struct wait *)) {
    void *frame = __builtin_frame_address(0);
    clock_lock();
    free_left_waits(frame);
    struct wait *wait = take_free_wait();
    *wait = (struct wait){
        .call = call, .clock = clock, .deadline = deadline, .object = object, .fire = fire, .thread = this_thread,
        .descriptor = -1, .outer = innermost, .frame = frame};
    innermost = wait;
    clock_unlock();
    return wait;
}

void wait_enter(struct wait *wait) {
    wait->entered_in = own.virtual_time;
    wait->order = own.next_order++;
    wait->previous = NULL;
    wait->next = own.first_wait;
    if (own.first_wait) own.first_wait->previous = wait;
    own.first_wait = wait;
}

bool wait_begin(struct wait *wait) {
    clock_lock();
    bool is_due = wait->deadline <= clock_readings[wait->clock];
    if (!is_due) wait_enter(wait);
    clock_unlock();
    if (is_due) waited_in_vain();
    return !is_due;
}

void waited_in_vain(void) {
    enum { many = 100 };
    static _Thread_local __attribute__((tls_model("initial-exec"))) int64_t instant;
    static _Thread_local __attribute__((tls_model("initial-exec"))) int count;
    int64_t now = clock_readings[process_clock_uptime];
    if (now != instant) instant = now, count = 0;
    if (++count > many) process_clock_jump(1, 1, 1);
}

void wait_pause(struct wait *wait) {
    clock_lock();
    wait_leave(wait);
    clock_unlock();
}

void wait_end(void *wait) {
    clock_lock();
    free_wait(wait);
    clock_unlock();
}

bool wait_is_entered(const struct wait *wait) { return wait->entered_in != 0 && wait->entered_in == own.virtual_time; }

void wait_leave(struct wait *wait) {
    if (!wait_is_entered(wait)) return;
    if (wait->previous) wait->previous->next = wait->next;
    else own.first_wait = wait->next;
    if (wait->next) wait->next->previous = wait->previous;
    wait->entered_in = 0;
}

static int64_t left_until(const struct wait *wait) {
    int64_t left;
    if (wait->deadline == FOREVER) return FOREVER;
    if (__builtin_sub_overflow(wait->deadline, clock_readings[wait->clock], &left)) return INT64_MAX;
    return left;
}

void clock_woken(void) { own.awake_at = clock_readings[process_clock_uptime]; }

void process_clock_wake(void) {
    clock_lock();
    clock_woken();
    clock_unlock();
}

static int64_t left_until_due(const struct wait *wait) {
    int64_t left = left_until(wait);
    if (!wait->latest || (left <= 0 && own.awake_at == clock_readings[process_clock_uptime])) return left;
    return saturating_sum(left, wait->latest(wait->deadline) - wait->deadline);
}

static bool is_before(int64_t left, const struct wait *wait, int64_t other_left, const struct wait *other) {
    return left != other_left ? left < other_left : wait->order < other->order;
}

struct wait *wait_earliest(int64_t *left) {
    struct wait *earliest = NULL;
    for (struct wait *wait = own.first_wait; wait; wait = wait->next) {
        int64_t own = left_until_due(wait);
        if (earliest && !is_before(own, wait, *left, earliest)) continue;
        earliest = wait;
        *left = own;
    }
    return earliest;
}

struct wait *wait_find(bool (*matches)(const struct wait *, const void *), const void *argument) {
    for (struct wait *wait = own.first_wait; wait; wait = wait->next) {
        if (matches(wait, argument)) return wait;
    }
    return NULL;
}

static bool is_pending(struct wait *wait) { return atomic_load(&wait->state) == wait_is_pending; }

static long sleep_on(struct wait *wait) {
    if (wait->is_restarted) return futex(&wait->state, FUTEX_WAIT_PRIVATE, wait_is_pending, NULL);
    if (!wait->naps) return futex_for_ever(&wait->state, FUTEX_WAIT_BITSET_PRIVATE, wait_is_pending, ~0U);
    // The naps become longer, so that many napping threads do not keep the process from coming to rest on a busy
    // machine.
    wait->nap = wait->nap == 0 ? SECOND / 1000 : wait->nap < SECOND / 32 ? 2 * wait->nap : wait->nap;
    struct timespec end = timespec_of(process_clock_machine_time() + wait->nap);
    return futex(&wait->state, FUTEX_WAIT_BITSET_PRIVATE, wait_is_pending, &end);
}

int wait_sleep(struct wait *wait, bool is_cancellation_point) {
    // A cancelled thread leaves the wait at once, through its cleanup handlers, as it leaves libc's own calls.
    int kind = PTHREAD_CANCEL_DEFERRED, result = 0;
    if (is_cancellation_point) pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &kind);
    while (result == 0 && is_pending(wait)) {
        if (sleep_on(wait) == 0) continue;
        if (errno == ETIMEDOUT) break;
        if (errno == EINTR) result = EINTR;
    }
    if (is_cancellation_point) pthread_setcanceltype(kind, NULL);
    return result;
}

void wait_wake(struct wait *wait, int reason) {
    wait_leave(wait);
    atomic_store(&wait->state, reason);
    futex(&wait->state, FUTEX_WAKE_PRIVATE, 1, NULL);
}

size_t process_clock_waits(struct process_clock_wait *waits, size_t capacity) {
    clock_lock();
    size_t count = 0, written = 0;
    for (struct wait *wait = own.first_wait; wait; wait = wait->next) {
        count++;
        struct process_clock_wait row = {wait->call, wait->thread, wait->clock, left_until(wait)};
        // Insertion sort is enough for few waits. If there is not room for all, those that are due last are left out.
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
