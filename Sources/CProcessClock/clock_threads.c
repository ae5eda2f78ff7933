// Replaces sleeps, and the calls that wait for a semaphore, a condition, a lock or a word of memory until an instant.
//
// Owns three atomic numbers of waiting threads. A thread holds the lock only while it puts its wait into the list or
// takes the wait out. While a thread waits for a semaphore, a condition or a lock until an instant, each release of
// such an object takes the lock too.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <threads.h>

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

static bool is_valid(const struct timespec *time) { return time->tv_nsec >= 0 && time->tv_nsec < SECOND; }

static void wake_at_deadline(struct wait *wait) { wait_wake(wait, wait_has_expired); }

static bool has_expired(const struct wait *wait) { return atomic_load(&wait->state) == wait_has_expired; }

bool (*thread_keeps_machine_time)(void);

static bool keeps_machine_time(void) { return thread_keeps_machine_time && thread_keeps_machine_time(); }

// MARK: Sleeps

// On a thread that keeps the machine's time (thread_keeps_machine_time), a sleep of at most this length counts as a
// wait for what other threads are about to do.
static const int64_t longest_nap = SECOND / 100;

// Waits in the machine's time without being asleep, so that the thread counts as running and the clocks stand still.
// What the thread does next belongs to this instant.
static int nap(int64_t duration) {
    int64_t end = process_clock_machine_time() + duration;
    while (process_clock_machine_time() < end) sched_yield();
    return 0;
}

// Sleeps until an instant of a virtual clock. Returns EINTR if a signal handler ran, with the remaining time in `left`.
static int sleep_until(const char *call, enum process_clock_id clock, int64_t deadline, int64_t *left) {
    int result = 0;
    struct wait *wait = wait_new(call, clock, deadline, NULL, wake_at_deadline);
    pthread_cleanup_push(wait_end, wait);
    if (wait_begin(wait)) result = wait_sleep(wait, true);
    if (has_expired(wait)) result = 0;
    pthread_cleanup_pop(true);
    *left = deadline - clock_readings[clock];
    return result;
}

static int named_sleep(
    const char *call, clockid_t id, int flags, const struct timespec *time, struct timespec *remaining) {
    enum process_clock_id clock;
    if (!clock_is_virtual() || !clock_of(id, &clock)) return libc()->clock_nanosleep(id, flags, time, remaining);
    if (!is_valid(time)) return EINVAL;
    pthread_testcancel();
    int64_t deadline = nanoseconds(time), left = 0;
    if (!(flags & TIMER_ABSTIME)) {
        // A sleep of zero length takes a nanosecond, because Foundation's Thread.sleep repeats it until the clock has
        // moved.
        if (deadline <= 0) {
            process_clock_jump(1, 1, 1);
            return 0;
        }
        if (deadline <= longest_nap && keeps_machine_time()) return nap(deadline);
        // Setting the wall clock does not change the length of a sleep.
        if (clock == process_clock_wall) clock = process_clock_uptime;
        deadline = saturating_sum(clock_readings[clock], deadline);
    }
    int result = sleep_until(call, clock, deadline, &left);
    if (result == EINTR && remaining && !(flags & TIMER_ABSTIME)) *remaining = timespec_of(left > 0 ? left : 0);
    return result;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *time, struct timespec *remaining) {
    return named_sleep("clock_nanosleep", id, flags, time, remaining);
}

static int sleep_or_errno(const char *call, const struct timespec *time, struct timespec *remaining) {
    int error = named_sleep(call, CLOCK_REALTIME, 0, time, remaining);
    if (error == 0) return 0;
    errno = error;
    return -1;
}

int nanosleep(const struct timespec *time, struct timespec *remaining) {
    return sleep_or_errno("nanosleep", time, remaining);
}

int usleep(useconds_t microseconds) {
    struct timespec time = timespec_of((int64_t)microseconds * 1000);
    return sleep_or_errno("usleep", &time, NULL);
}

// `sleep(0)` takes no time, because Core Foundation's spin lock calls it while it waits for the thread that holds the
// lock.
unsigned int sleep(unsigned int seconds) {
    if (seconds == 0) {
        sched_yield();
        return 0;
    }
    struct timespec time = {.tv_sec = seconds}, left = {0, 0};
    if (sleep_or_errno("sleep", &time, &left) == 0) return 0;
    return (unsigned int)left.tv_sec + (left.tv_nsec > 0);
}

int thrd_sleep(const struct timespec *time, struct timespec *remaining) {
    int error = named_sleep("thrd_sleep", CLOCK_REALTIME, 0, time, remaining);
    return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

// MARK: Semaphores

// The numbers of threads that wait with a deadline for a semaphore, a condition or a lock. While one of them is zero,
// the release of an object of that kind does not take the clock's lock.
static atomic_int semaphore_waits, condition_waits, lock_waits;

static bool waits_for(const struct wait *wait, const void *object) {
    return wait->object == object && atomic_load(&wait->state) == wait_is_pending;
}

// Wakes the first thread whose wait for the object has a deadline, or all such threads. Returns false if there is none.
static bool wake(void *object, bool all) {
    bool is_any = false;
    clock_lock();
    struct wait *wait;
    while ((!is_any || all) && (wait = wait_find(waits_for, object))) {
        wait_wake(wait, wait_was_woken);
        is_any = true;
    }
    clock_unlock();
    return is_any;
}

static struct wait *counted_wait(
    const char *call, enum process_clock_id clock, int64_t deadline, void *object, atomic_int *counter) {
    struct wait *wait = wait_new(call, clock, deadline, object, wake_at_deadline);
    atomic_fetch_add(counter, 1);
    wait->counter = counter;
    return wait;
}

// The number of waits whose release was not seen, and which ended when their thread tried again.
static atomic_uint_least64_t unseen_releases;

static bool is_released_unseen(const struct wait *wait) { return wait->is_for_lock || wait->naps; }

static bool is_to_try_again(const struct wait *wait, const void *nothing) {
    return is_released_unseen(wait) && atomic_load(&wait->state) == wait_is_pending;
}

// Wakes all threads that wait for the word, and returns their number. Threads with another deadline read the word, and
// wait again.
static long wake_word(const struct wait *wait) {
    return futex(wait->object, FUTEX_WAKE | wait->flags, INT_MAX, NULL);
}

static void wake_word_at_deadline(struct wait *wait) {
    atomic_store(&wait->state, wait_has_expired);
    wake_word(wait);
    // The wait stays in the list until its thread returns. A signal handler may delay the thread, so that it begins the
    // kernel's wait only after this wake-up.
    wait->deadline = FOREVER;
    wait_enter(wait);
}

// Returns how much a thread of this process has run; 0 if it has ended. The time is read without a descriptor, because
// all descriptors may be in use. The number of the clock is the one that pthread_getcpuclockid computes from the
// thread's number.
static int64_t processor_time(int32_t thread) {
    struct timespec time = {0, 0};
    libc()->clock_gettime((clockid_t)(~(uint32_t)thread << 3 | 6), &time);
    return nanoseconds(&time);
}

// Returns whether the wait has expired, and its thread has run since it was last woken. Such a thread may have begun
// the kernel's wait for the word only after it was woken.
static bool is_to_wake_again(const struct wait *wait, const void *nothing) {
    return wait->fire == wake_word_at_deadline && has_expired(wait) && processor_time(wait->thread) != wait->activity;
}

bool waits_wake_again(void) {
    bool is_any = false;
    struct wait *wait;
    clock_lock();
    while ((wait = wait_find(is_to_wake_again, NULL))) {
        wait->activity = processor_time(wait->thread);
        is_any |= wake_word(wait) > 0;
    }
    clock_unlock();
    return is_any;
}

bool waits_may_be_released(void) {
    clock_lock();
    bool is_any = wait_find(is_to_try_again, NULL) != NULL;
    clock_unlock();
    return is_any;
}

bool waits_try_again(void) {
    bool is_any = false;
    struct wait *wait;
    clock_lock();
    while ((wait = wait_find(is_to_try_again, NULL))) {
        wait_wake(wait, wait_was_woken);
        is_any = true;
    }
    clock_unlock();
    return is_any;
}

uint64_t waits_released_unseen(void) { return atomic_load(&unseen_releases); }

// Repeats an attempt that returns EBUSY until the instant has come (ETIMEDOUT) or a signal handler has run (EINTR).
static int try_until(struct wait *wait, int (*attempt)(void *), void *argument, bool is_cancellation_point) {
    int result = EBUSY;
    pthread_cleanup_push(wait_end, wait);
    while (result == EBUSY) {
        atomic_store(&wait->state, wait_is_pending);
        bool is_due = !wait_begin(wait);
        // Tries after the wait was entered, so that no release is missed.
        result = attempt(argument);
        if (result != EBUSY) {
            if (is_released_unseen(wait)) atomic_fetch_add(&unseen_releases, 1);
            break;
        }
        if (is_due) result = ETIMEDOUT;
        else if (wait_sleep(wait, is_cancellation_point) == EINTR && !has_expired(wait)) result = EINTR;
        wait_pause(wait);
    }
    pthread_cleanup_pop(true);
    return result;
}

static int try_semaphore(void *semaphore) { return sem_trywait(semaphore) == 0 ? 0 : errno == EAGAIN ? EBUSY : errno; }

int sem_post(sem_t *semaphore) {
    int result = libc()->sem_post(semaphore);
    // The semaphore may be gone by now; only its address is used.
    if (atomic_load(&semaphore_waits) > 0) {
        int error = errno;
        wake(semaphore, true);
        errno = error;
    }
    return result;
}

// Whether other processes may post the semaphore, which this process would not notice. glibc keeps this in the third
// word.
static bool is_shared(const sem_t *semaphore) { return ((const int *)semaphore)[2] != 0; }

static int semaphore_wait(const char *call, sem_t *semaphore, clockid_t id, const struct timespec *time) {
    enum process_clock_id clock;
    int error = EINVAL;
    if (is_valid(time) && clock_of(id, &clock)) {
        struct wait *wait = counted_wait(call, clock, nanoseconds(time), semaphore, &semaphore_waits);
        wait->naps = is_shared(semaphore);
        error = try_until(wait, try_semaphore, semaphore, true);
    }
    if (error == 0) return 0;
    errno = error;
    return -1;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict time) {
    if (!clock_is_virtual()) return libc()->sem_timedwait(semaphore, time);
    return semaphore_wait("sem_timedwait", semaphore, CLOCK_REALTIME, time);
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t id, const struct timespec *restrict time) {
    if (!clock_is_virtual()) return libc()->sem_clockwait(semaphore, id, time);
    return semaphore_wait("sem_clockwait", semaphore, id, time);
}

// MARK: Conditions

// A thread waits here for a word of its own, and not for libc's condition. This shows whether the signal or the instant
// came first, even if the thread has to wait for the mutex afterwards.

int pthread_cond_signal(pthread_cond_t *condition) {
    if (atomic_load(&condition_waits) > 0 && wake(condition, false)) return 0;
    return libc()->pthread_cond_signal(condition);
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    if (atomic_load(&condition_waits) > 0) wake(condition, true);
    return libc()->pthread_cond_broadcast(condition);
}

struct cancelled_wait {
    struct wait *wait;
    pthread_cond_t *condition;
    pthread_mutex_t *mutex;
};

// Ends the wait of a cancelled thread. If a signal has already woken the thread, another waiting thread is woken
// instead. Then the mutex is locked, as the thread's cleanup handlers expect.
static void leave_condition(void *argument) {
    struct cancelled_wait *cancelled = argument;
    bool was_signalled = atomic_load(&cancelled->wait->state) == wait_was_woken;
    wait_end(cancelled->wait);
    if (was_signalled) pthread_cond_signal(cancelled->condition);
    pthread_mutex_lock(cancelled->mutex);
}

// Waits in the machine's time, because processes share the condition, or because the thread's waits use that time
// (thread_keeps_machine_time).
static int machine_condition_wait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, enum process_clock_id clock, int64_t deadline) {
    int64_t left = deadline - clock_readings[clock];
    struct timespec end = timespec_of(saturating_sum(process_clock_machine_time(), left));
    return libc()->pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &end);
}

static int condition_wait(
    const char *call, pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t id, const struct timespec *time) {
    enum process_clock_id clock;
    if (!is_valid(time) || !clock_of(id, &clock)) return EINVAL;
    if (condition->__data.__wrefs & 1 || keeps_machine_time())
        return machine_condition_wait(condition, mutex, clock, nanoseconds(time));
    pthread_testcancel();
    struct wait *wait = counted_wait(call, clock, nanoseconds(time), condition, &condition_waits);
    // The wait is entered before the mutex is released, so that no signal is missed.
    bool has_ended = !wait_begin(wait);
    int error = pthread_mutex_unlock(mutex);
    if (error != 0) {
        wait_end(wait);
        return error;
    }
    struct cancelled_wait cancelled = {wait, condition, mutex};
    pthread_cleanup_push(leave_condition, &cancelled);
    while (!has_ended) has_ended = wait_sleep(wait, true) != EINTR;
    pthread_cleanup_pop(false);
    bool was_signalled = atomic_load(&wait->state) == wait_was_woken;
    wait_end(wait);
    error = pthread_mutex_lock(mutex);
    return error != 0 || was_signalled ? error : ETIMEDOUT;
}

// Returns the clock that pthread_condattr_setclock chose, which glibc keeps in the second bit of this word.
static clockid_t clock_of_condition(pthread_cond_t *condition) {
    return condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict time) {
    if (!clock_is_virtual()) return libc()->pthread_cond_timedwait(condition, mutex, time);
    return condition_wait("pthread_cond_timedwait", condition, mutex, clock_of_condition(condition), time);
}

int pthread_cond_clockwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t id,
    const struct timespec *restrict time) {
    if (!clock_is_virtual()) return libc()->pthread_cond_clockwait(condition, mutex, id, time);
    return condition_wait("pthread_cond_clockwait", condition, mutex, id, time);
}

// In glibc, C11's types are the same as those of pthreads.
int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict time) {
    int error = pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, time);
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

// MARK: Locks

static int try_mutex(void *mutex) { return pthread_mutex_trylock(mutex); }
static int try_read_lock(void *lock) { return pthread_rwlock_tryrdlock(lock); }
static int try_write_lock(void *lock) { return pthread_rwlock_trywrlock(lock); }

static int lock_until(
    const char *call, void *lock, clockid_t id, const struct timespec *time, int (*attempt)(void *)) {
    enum process_clock_id clock;
    int first = attempt(lock);
    if (first != EBUSY) return first;
    if (!is_valid(time) || !clock_of(id, &clock)) return EINVAL;
    int result;
    do {
        struct wait *wait = counted_wait(call, clock, nanoseconds(time), lock, &lock_waits);
        wait->is_for_lock = true;
        result = try_until(wait, attempt, lock, false);
    } while (result == EINTR);  // A handler does not end it.
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int result = libc()->pthread_mutex_unlock(mutex);
    if (atomic_load_explicit(&lock_waits, memory_order_relaxed) > 0) wake(mutex, true);
    return result;
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    int result = libc()->pthread_rwlock_unlock(lock);
    if (atomic_load_explicit(&lock_waits, memory_order_relaxed) > 0) wake(lock, true);
    return result;
}

#define CLOCK_TIMED_LOCK(name, type, attempt)                                                                          \
    int name(type *restrict lock, const struct timespec *restrict time) {                                              \
        if (!clock_is_virtual()) return libc()->name(lock, time);                                                      \
        return lock_until(#name, lock, CLOCK_REALTIME, time, attempt);                                                 \
    }
#define CLOCK_CLOCK_LOCK(name, type, attempt)                                                                          \
    int name(type *restrict lock, clockid_t id, const struct timespec *restrict time) {                                \
        if (!clock_is_virtual()) return libc()->name(lock, id, time);                                                  \
        return lock_until(#name, lock, id, time, attempt);                                                             \
    }
CLOCK_TIMED_LOCK(pthread_mutex_timedlock, pthread_mutex_t, try_mutex)
CLOCK_CLOCK_LOCK(pthread_mutex_clocklock, pthread_mutex_t, try_mutex)
CLOCK_TIMED_LOCK(pthread_rwlock_timedrdlock, pthread_rwlock_t, try_read_lock)
CLOCK_TIMED_LOCK(pthread_rwlock_timedwrlock, pthread_rwlock_t, try_write_lock)
CLOCK_CLOCK_LOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t, try_read_lock)
CLOCK_CLOCK_LOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t, try_write_lock)

int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict time) {
    int error = pthread_mutex_timedlock((pthread_mutex_t *)mutex, time);
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

// MARK: Words of memory

static long failed(int error) {
    errno = error;
    return -1;
}

static long futex_wait(void *word, int operation, uint32_t value, const struct timespec *time, uint32_t bits) {
    if (!is_valid(time)) return failed(EINVAL);
    bool is_absolute = (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
    enum process_clock_id clock =
        is_absolute && operation & FUTEX_CLOCK_REALTIME ? process_clock_wall : process_clock_uptime;
    int64_t deadline = nanoseconds(time);
    if (!is_absolute) deadline = saturating_sum(clock_readings[clock], deadline);
    int flags = operation & FUTEX_PRIVATE_FLAG;
    struct wait *wait = wait_new("futex", clock, deadline, word, wake_word_at_deadline);
    wait->flags = flags;
    if (!wait_begin(wait)) {
        wait_end(wait);
        return failed(*(volatile uint32_t *)word == value ? ETIMEDOUT : EAGAIN);
    }
    long result = futex_for_ever(word, FUTEX_WAIT_BITSET | flags, value, bits);
    int error = has_expired(wait) ? ETIMEDOUT : errno;
    if (has_expired(wait)) result = -1;
    wait_end(wait);
    errno = error;
    return result;
}

struct futex_lock {
    void *word;
    int flags;
};

static int try_futex(void *argument) {
    struct futex_lock *lock = argument;
    if (futex(lock->word, FUTEX_TRYLOCK_PI | lock->flags, 0, NULL) == 0) return 0;
    return errno == EAGAIN ? EBUSY : errno;
}

static long futex_lock(void *word, int operation, const struct timespec *time) {
    if (!is_valid(time)) return failed(EINVAL);
    bool is_uptime = (operation & FUTEX_CMD_MASK) == FUTEX_LOCK_PI2 && !(operation & FUTEX_CLOCK_REALTIME);
    struct futex_lock lock = {word, operation & FUTEX_PRIVATE_FLAG};
    int result;
    do {
        struct wait *wait = wait_new(
            "futex", is_uptime ? process_clock_uptime : process_clock_wall, nanoseconds(time), word, wake_at_deadline);
        // The owner may release the lock by a change of memory, without a call.
        wait->naps = true;
        result = try_until(wait, try_futex, &lock, false);
    } while (result == EINTR);
    return result == 0 ? 0 : failed(result);
}

bool is_futex_until(int operation, const struct timespec *time) {
    int command = operation & FUTEX_CMD_MASK;
    return time
        && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI
            || command == FUTEX_LOCK_PI2);
}

long futex_until(void *word, int operation, uint32_t value, const struct timespec *time, uint32_t bits) {
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT: return futex_wait(word, operation, value, time, FUTEX_BITSET_MATCH_ANY);
    case FUTEX_WAIT_BITSET: return futex_wait(word, operation, value, time, bits);
    default: return futex_lock(word, operation, time);
    }
}

// MARK: What is released unseen

int wait_by_napping(
    const char *call, enum process_clock_id clock, int64_t deadline, int (*attempt)(void *), void *argument,
    bool is_cancellation_point) {
    struct wait *wait = wait_new(call, clock, deadline, argument, wake_at_deadline);
    wait->naps = true;
    return try_until(wait, attempt, argument, is_cancellation_point);
}

int wait_by_trying(const char *call, int64_t deadline, int (*attempt)(void *), void *argument) {
    struct wait *wait = wait_new(call, process_clock_wall, deadline, argument, wake_at_deadline);
    wait->is_for_lock = true;
    wait->is_restarted = true;
    return try_until(wait, attempt, argument, true);
}

#endif
