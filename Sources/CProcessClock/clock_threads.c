// Sleeps, and waits for semaphores, conditions, locks and words of memory, until an instant.
//
// Owns two atomic numbers of waiting threads. A thread holds the lock only to enter its wait and to take it out. The
// release of a semaphore or a lock takes it too while another thread waits for one until an instant.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <threads.h>

static bool is_valid(const struct timespec *time) { return time->tv_nsec >= 0 && time->tv_nsec < SECOND; }

static struct wait new_wait(const char *call, enum process_clock_id clock, int64_t deadline, void *object) {
    static _Thread_local int32_t thread;
    if (thread == 0) thread = (int32_t)libc()->syscall(SYS_gettid);
    return (struct wait){.call = call, .clock = clock, .deadline = deadline, .object = object, .thread = thread};
}

static void wake_at_deadline(struct wait *wait) { wait_wake(wait, wait_has_expired); }

// MARK: Sleeps

// Until an instant of a virtual clock. EINTR when a signal handler ran; `left` then.
static int sleep_until(const char *call, enum process_clock_id clock, int64_t deadline, int64_t *left) {
    struct wait wait = new_wait(call, clock, deadline, NULL);
    wait.fire = wake_at_deadline;
    if (!wait_begin(&wait)) return 0;
    int result = wait_sleep(&wait);
    wait_end(&wait);
    *left = deadline - clock_readings[clock];
    return atomic_load(&wait.state) == wait_has_expired ? 0 : result;
}

static int named_sleep(
    const char *call, clockid_t id, int flags, const struct timespec *time, struct timespec *remaining) {
    enum process_clock_id clock;
    if (!clock_is_virtual() || !clock_of(id, &clock)) return libc()->clock_nanosleep(id, flags, time, remaining);
    if (!is_valid(time)) return EINVAL;
    int64_t deadline = nanoseconds(time), left = 0;
    if (!(flags & TIMER_ABSTIME)) {
        // A sleep of no length takes a nanosecond: Foundation's Thread.sleep repeats it until the clock has moved.
        if (deadline <= 0) {
            process_clock_jump(1, 1, 1);
            return 0;
        }
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

// Of no length it takes no time: Core Foundation's spin lock waits by it for the thread that has the lock.
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

// How many threads wait for one until an instant. While there are none, a release takes no lock.
static atomic_int semaphore_waits, lock_waits;

static bool waits_for(const struct wait *wait, const void *object) {
    return wait->object == object && atomic_load(&wait->state) == wait_is_pending;
}

// Wakes the threads that wait for an object until an instant; they try again.
static void wake_all(void *object) {
    clock_lock();
    struct wait *wait;
    while ((wait = wait_find(waits_for, object))) wait_wake(wait, wait_was_woken);
    clock_unlock();
}

// Tries until it works or the instant has come; `attempt` returns EBUSY to be called again.
static int try_until(
    const char *call, enum process_clock_id clock, int64_t deadline, void *object, int (*attempt)(void *),
    atomic_int *counter) {
    struct wait wait = new_wait(call, clock, deadline, object);
    wait.fire = wake_at_deadline;
    wait.is_for_lock = counter == &lock_waits;
    atomic_fetch_add(counter, 1);
    int result;
    while (true) {
        atomic_store(&wait.state, wait_is_pending);
        bool is_due = !wait_begin(&wait);
        // After it was entered, so that no release is missed.
        result = attempt(object);
        if (result == EBUSY && !is_due) result = wait_sleep(&wait) == EINTR ? EINTR : EBUSY;
        else if (is_due && result == EBUSY) result = ETIMEDOUT;
        wait_end(&wait);
        if (result != EBUSY) break;
    }
    atomic_fetch_sub(counter, 1);
    return result;
}

static int try_semaphore(void *semaphore) { return sem_trywait(semaphore) == 0 ? 0 : errno == EAGAIN ? EBUSY : errno; }

int sem_post(sem_t *semaphore) {
    int result = libc()->sem_post(semaphore);
    // The semaphore may be gone by now; only its address is used.
    if (atomic_load(&semaphore_waits) > 0) {
        int error = errno;
        wake_all(semaphore);
        errno = error;
    }
    return result;
}

static int semaphore_wait(const char *call, sem_t *semaphore, clockid_t id, const struct timespec *time) {
    enum process_clock_id clock;
    int error = EINVAL;
    if (is_valid(time) && clock_of(id, &clock))
        error = try_until(call, clock, nanoseconds(time), semaphore, try_semaphore, &semaphore_waits);
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

// The other waiters check their condition and wait again, as after any spurious wake-up.
static void broadcast_at_deadline(struct wait *wait) {
    atomic_store(&wait->state, wait_has_expired);
    pthread_cond_broadcast(wait->object);
}

static int condition_wait(
    const char *call, pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t id, const struct timespec *time) {
    enum process_clock_id clock;
    if (!is_valid(time) || !clock_of(id, &clock)) return EINVAL;
    struct wait wait = new_wait(call, clock, nanoseconds(time), condition);
    wait.fire = broadcast_at_deadline;
    if (!wait_begin(&wait)) {
        // Other threads get the mutex, as they would while the kernel ends the wait.
        pthread_mutex_unlock(mutex);
        pthread_mutex_lock(mutex);
        return ETIMEDOUT;
    }
    // No step comes between entering and waiting, because this thread runs. A cancelled thread leaves here.
    int result;
    pthread_cleanup_push(wait_end, &wait);
    result = pthread_cond_wait(condition, mutex);
    pthread_cleanup_pop(true);
    return result == 0 && atomic_load(&wait.state) == wait_has_expired ? ETIMEDOUT : result;
}

// The clock that pthread_condattr_setclock chose: glibc keeps it in the second bit of this word.
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

// C11's types are those of pthreads in glibc.
int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict time) {
    int error = pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, time);
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

// MARK: Locks

static int try_mutex(void *mutex) { return pthread_mutex_trylock(mutex); }
static int try_read_lock(void *lock) { return pthread_rwlock_tryrdlock(lock); }
static int try_write_lock(void *lock) { return pthread_rwlock_trywrlock(lock); }

static bool waits_for_a_lock(const struct wait *wait, const void *nothing) {
    return wait->is_for_lock && atomic_load(&wait->state) == wait_is_pending;
}

void lock_waits_retry(void) {
    // pthread_cond_wait releases a mutex without a call of pthread_mutex_unlock.
    if (atomic_load(&lock_waits) == 0) return;
    struct wait *wait;
    while ((wait = wait_find(waits_for_a_lock, NULL))) wait_wake(wait, wait_was_woken);
}

static int lock_until(
    const char *call, void *lock, clockid_t id, const struct timespec *time, int (*attempt)(void *)) {
    enum process_clock_id clock;
    int first = attempt(lock);
    if (first != EBUSY) return first;
    if (!is_valid(time) || !clock_of(id, &clock)) return EINVAL;
    int result;
    // A lock is taken again after a signal.
    do result = try_until(call, clock, nanoseconds(time), lock, attempt, &lock_waits);
    while (result == EINTR);
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int result = libc()->pthread_mutex_unlock(mutex);
    if (atomic_load_explicit(&lock_waits, memory_order_relaxed) > 0) wake_all(mutex);
    return result;
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    int result = libc()->pthread_rwlock_unlock(lock);
    if (atomic_load_explicit(&lock_waits, memory_order_relaxed) > 0) wake_all(lock);
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

// MARK: System calls by number

// Other threads that wait at the word read it and wait again.
static void wake_word_at_deadline(struct wait *wait) {
    atomic_store(&wait->state, wait_has_expired);
    futex(wait->object, FUTEX_WAKE | wait->descriptor, INT_MAX, NULL);
}

static long futex_wait(void *word, int operation, uint32_t value, const struct timespec *time, uint32_t bits) {
    int command = operation & FUTEX_CMD_MASK;
    if (!is_valid(time)) {
        errno = EINVAL;
        return -1;
    }
    bool is_absolute = command == FUTEX_WAIT_BITSET;
    enum process_clock_id clock =
        is_absolute && operation & FUTEX_CLOCK_REALTIME ? process_clock_wall : process_clock_uptime;
    int64_t deadline = nanoseconds(time);
    if (!is_absolute) deadline = saturating_sum(clock_readings[clock], deadline);
    struct wait wait = new_wait("futex", clock, deadline, word);
    wait.fire = wake_word_at_deadline;
    wait.descriptor = operation & FUTEX_PRIVATE_FLAG;
    if (!wait_begin(&wait)) {
        errno = *(volatile uint32_t *)word == value ? ETIMEDOUT : EAGAIN;
        return -1;
    }
    long result = libc()->syscall(SYS_futex, word, operation & ~FUTEX_CLOCK_REALTIME, value, NULL, NULL, bits);
    int error = errno;
    wait_end(&wait);
    if (atomic_load(&wait.state) == wait_has_expired) result = -1, error = ETIMEDOUT;
    errno = error;
    return result;
}

long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    if (!clock_is_virtual()) return libc()->syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    switch (number) {
    case SYS_futex: {
        int command = a[1] & FUTEX_CMD_MASK;
        if ((command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) || a[3] == 0) break;
        uint32_t bits = command == FUTEX_WAIT ? FUTEX_BITSET_MATCH_ANY : (uint32_t)a[5];
        return futex_wait((void *)a[0], (int)a[1], (uint32_t)a[2], (const struct timespec *)a[3], bits);
    }
    case SYS_clock_gettime: return clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
    case SYS_gettimeofday: return gettimeofday((struct timeval *)a[0], (void *)a[1]);
    case SYS_nanosleep: return nanosleep((const struct timespec *)a[0], (struct timespec *)a[1]);
    case SYS_clock_nanosleep: {
        int error = clock_nanosleep(
            (clockid_t)a[0], (int)a[1], (const struct timespec *)a[2], (struct timespec *)a[3]);
        if (error == 0) return 0;
        errno = error;
        return -1;
    }
    default: break;
    }
    return libc()->syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif
