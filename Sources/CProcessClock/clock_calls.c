// Replaces the rarer calls: fortified forms, signals, message queues, semaphores of System V, joins of threads, other
// readings of clocks, and system calls by number. Each replacement is made of the waits of lower layers.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

static long failed(int error) {
    errno = error;
    return -1;
}

// Returns 0, or -1 with the error in errno.
static long done(int error) { return error == 0 ? 0 : failed(error); }

// MARK: Fortified forms

// libc's own function ends the program if the buffer is too small.
int __poll_chk(struct pollfd *descriptors, nfds_t count, int timeout, size_t room) {
    if (!clock_is_virtual() || room / sizeof *descriptors < count)
        return libc()->__poll_chk(descriptors, count, timeout, room);
    return poll(descriptors, count, timeout);
}

int __ppoll_chk(
    struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const sigset_t *signals, size_t room) {
    if (!clock_is_virtual() || room / sizeof *descriptors < count)
        return libc()->__ppoll_chk(descriptors, count, timeout, signals, room);
    return ppoll(descriptors, count, timeout, signals);
}

ssize_t __read_chk(int descriptor, void *buffer, size_t size, size_t room) {
    return room < size ? libc()->__read_chk(descriptor, buffer, size, room) : read(descriptor, buffer, size);
}

// MARK: Signals

struct awaited_signals {
    const sigset_t *signals;
    siginfo_t *information;
    int number;
};

static int try_signals(void *argument) {
    struct awaited_signals *awaited = argument;
    static const struct timespec none = {0, 0};
    awaited->number = libc()->sigtimedwait(awaited->signals, awaited->information, &none);
    return awaited->number >= 0 ? 0 : errno == EAGAIN ? EBUSY : errno;
}

static int64_t after(int64_t duration) { return saturating_sum(clock_readings[process_clock_uptime], duration); }

int sigtimedwait(const sigset_t *signals, siginfo_t *information, const struct timespec *timeout) {
    if (!clock_is_virtual() || !timeout || nanoseconds(timeout) <= 0)
        return libc()->sigtimedwait(signals, information, timeout);
    struct awaited_signals awaited = {signals, information, -1};
    int error = wait_by_napping(
        "sigtimedwait", process_clock_uptime, after(nanoseconds(timeout)), try_signals, &awaited, true);
    return error == 0 ? awaited.number : (int)failed(error == ETIMEDOUT ? EAGAIN : error);
}

// MARK: Message queues

struct message {
    mqd_t queue;
    char *bytes;
    size_t size;
    unsigned priority, *received_priority;
    ssize_t result;
};

static int of_attempt(struct message *message, ssize_t result) {
    message->result = result;
    return result >= 0 ? 0 : errno == ETIMEDOUT ? EBUSY : errno;
}

// A deadline in the past, with which libc does not wait for the queue. Because libc would still let the thread sleep
// for a moment, the queue is polled before the call.
static const struct timespec long_ago = {0, 0};

static bool is_ready(mqd_t queue, short events) {
    struct pollfd polled = {.fd = queue, .events = events};
    return libc()->poll(&polled, 1, 0) != 0 || libc()->fcntl(queue, F_GETFL) & O_NONBLOCK;
}

static int try_send(void *argument) {
    struct message *message = argument;
    if (!is_ready(message->queue, POLLOUT)) return EBUSY;
    return of_attempt(
        message, libc()->mq_timedsend(message->queue, message->bytes, message->size, message->priority, &long_ago));
}

static int try_receive(void *argument) {
    struct message *message = argument;
    if (!is_ready(message->queue, POLLIN)) return EBUSY;
    return of_attempt(
        message, libc()->mq_timedreceive(
                     message->queue, message->bytes, message->size, message->received_priority, &long_ago));
}

int mq_timedsend(
    mqd_t queue, const char *bytes, size_t size, unsigned priority, const struct timespec *deadline) {
    if (!clock_is_virtual() ) return libc()->mq_timedsend(queue, bytes, size, priority, deadline);
    struct message message = {.queue = queue, .bytes = (char *)bytes, .size = size, .priority = priority};
    return (int)done(wait_by_trying("mq_timedsend", nanoseconds(deadline), try_send, &message));
}

ssize_t mq_timedreceive(
    mqd_t queue, char *restrict bytes, size_t size, unsigned *restrict priority,
    const struct timespec *restrict deadline) {
    if (!clock_is_virtual() ) return libc()->mq_timedreceive(queue, bytes, size, priority, deadline);
    struct message message = {.queue = queue, .bytes = bytes, .size = size, .received_priority = priority};
    int error = wait_by_trying("mq_timedreceive", nanoseconds(deadline), try_receive, &message);
    return error == 0 ? message.result : failed(error);
}

// MARK: Semaphores of System V

// Linux's default limit of operations in a call.
enum { most_operations = 500 };

struct operations {
    int semaphores;
    struct sembuf *operations;
    size_t count;
};

static int try_operations(void *argument) {
    struct operations *all = argument;
    // IPC_NOWAIT is used, because a time-out of zero would let the thread sleep for a moment.
    struct sembuf without_waiting[most_operations];
    if (all->count > most_operations) return E2BIG;
    for (size_t i = 0; i < all->count; i++) {
        without_waiting[i] = all->operations[i];
        without_waiting[i].sem_flg |= IPC_NOWAIT;
    }
    if (libc()->semtimedop(all->semaphores, without_waiting, all->count, NULL) == 0) return 0;
    if (errno != EAGAIN) return errno;
    // The call must not wait if one of the program's operations has IPC_NOWAIT.
    for (size_t i = 0; i < all->count; i++) {
        if (all->operations[i].sem_flg & IPC_NOWAIT) return EAGAIN;
    }
    return EBUSY;
}

int semtimedop(int semaphores, struct sembuf *operations, size_t count, const struct timespec *timeout) {
    if (!clock_is_virtual() || !timeout) return libc()->semtimedop(semaphores, operations, count, timeout);
    struct operations all = {semaphores, operations, count};
    int error = wait_by_napping(
        "semtimedop", process_clock_uptime, after(nanoseconds(timeout)), try_operations, &all, false);
    return (int)done(error == ETIMEDOUT ? EAGAIN : error);
}

// MARK: Ends of threads

struct end_of_thread {
    pthread_t thread;
    void **result;
};

static int try_join(void *argument) {
    struct end_of_thread *end = argument;
    return pthread_tryjoin_np(end->thread, end->result);
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t id, const struct timespec *deadline) {
    enum process_clock_id clock;
    if (!clock_is_virtual() || !deadline || !clock_of(id, &clock))
        return libc()->pthread_clockjoin_np(thread, result, id, deadline);
    struct end_of_thread end = {thread, result};
    int error;
    do error = wait_by_napping("pthread_clockjoin_np", clock, nanoseconds(deadline), try_join, &end, true);
    while (error == EINTR);
    return error;
}

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *deadline) {
    if (!clock_is_virtual()) return libc()->pthread_timedjoin_np(thread, result, deadline);
    return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, deadline);
}

// MARK: What else shows a clock

int sysinfo(struct sysinfo *information) {
    int result = libc()->sysinfo(information);
    if (result == 0 && clock_is_virtual()) information->uptime = clock_readings[process_clock_continuous] / SECOND;
    return result;
}

clock_t times(struct tms *used) {
    clock_t result = libc()->times(used);
    if (!clock_is_virtual() || result == (clock_t)-1) return result;
    return clock_readings[process_clock_uptime] / (SECOND / sysconf(_SC_CLK_TCK));
}

// MARK: System calls by number

// The kernel's signal sets have 64 bits, which are the first word of libc's signal sets.
static const sigset_t *signal_set(sigset_t *room, const uint64_t *bits) {
    if (!bits) return NULL;
    sigemptyset(room);
    *(uint64_t *)room = *bits;
    return room;
}

struct bits_with_size {
    const uint64_t *bits;
    size_t size;
};

// Makes a call that waits for an instant or reads a clock. Returns false for other calls, which libc makes.
static bool is_call_of_time(long number, const long *a, long *result) {
    sigset_t set;
    switch (number) {
    case SYS_futex:
        if (!is_futex_until((int)a[1], (const struct timespec *)a[3])) return false;
        *result = futex_until(
            (void *)a[0], (int)a[1], (uint32_t)a[2], (const struct timespec *)a[3], (uint32_t)a[5]);
        return true;
    case SYS_clock_gettime: *result = clock_gettime((clockid_t)a[0], (struct timespec *)a[1]); return true;
    case SYS_gettimeofday: *result = gettimeofday((struct timeval *)a[0], (void *)a[1]); return true;
#ifdef SYS_time
    case SYS_time: *result = time((time_t *)a[0]); return true;
#endif
    case SYS_times: *result = times((struct tms *)a[0]); return true;
    case SYS_sysinfo: *result = sysinfo((struct sysinfo *)a[0]); return true;
    case SYS_nanosleep: *result = nanosleep((const struct timespec *)a[0], (struct timespec *)a[1]); return true;
    case SYS_clock_nanosleep:
        *result = done(clock_nanosleep(
            (clockid_t)a[0], (int)a[1], (const struct timespec *)a[2], (struct timespec *)a[3]));
        return true;
#ifdef SYS_poll
    case SYS_poll: *result = poll((struct pollfd *)a[0], (nfds_t)a[1], (int)a[2]); return true;
    case SYS_select:
        *result = select((int)a[0], (fd_set *)a[1], (fd_set *)a[2], (fd_set *)a[3], (struct timeval *)a[4]);
        return true;
    case SYS_epoll_wait:
        *result = epoll_wait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3]);
        return true;
#endif
    case SYS_ppoll:
        *result = ppoll(
            (struct pollfd *)a[0], (nfds_t)a[1], (const struct timespec *)a[2],
            signal_set(&set, (const uint64_t *)a[3]));
        return true;
    case SYS_pselect6: {
        const struct bits_with_size *bits = (const struct bits_with_size *)a[5];
        *result = pselect(
            (int)a[0], (fd_set *)a[1], (fd_set *)a[2], (fd_set *)a[3], (const struct timespec *)a[4],
            signal_set(&set, bits ? bits->bits : NULL));
        return true;
    }
    case SYS_epoll_pwait:
        *result = epoll_pwait(
            (int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3], signal_set(&set, (const uint64_t *)a[4]));
        return true;
    case SYS_epoll_pwait2:
        *result = epoll_pwait2(
            (int)a[0], (struct epoll_event *)a[1], (int)a[2], (const struct timespec *)a[3],
            signal_set(&set, (const uint64_t *)a[4]));
        return true;
    case SYS_rt_sigtimedwait:
        *result = sigtimedwait(
            signal_set(&set, (const uint64_t *)a[0]), (siginfo_t *)a[1], (const struct timespec *)a[2]);
        return true;
    case SYS_mq_timedsend:
        *result = mq_timedsend(
            (mqd_t)a[0], (const char *)a[1], (size_t)a[2], (unsigned)a[3], (const struct timespec *)a[4]);
        return true;
    case SYS_mq_timedreceive:
        *result = mq_timedreceive(
            (mqd_t)a[0], (char *)a[1], (size_t)a[2], (unsigned *)a[3], (const struct timespec *)a[4]);
        return true;
    case SYS_semtimedop:
        *result = semtimedop((int)a[0], (struct sembuf *)a[1], (size_t)a[2], (const struct timespec *)a[3]);
        return true;
    case SYS_timerfd_settime:
        *result = timerfd_settime(
            (int)a[0], (int)a[1], (const struct itimerspec *)a[2], (struct itimerspec *)a[3]);
        return true;
    case SYS_timerfd_gettime: *result = timerfd_gettime((int)a[0], (struct itimerspec *)a[1]); return true;
    case SYS_read: *result = read((int)a[0], (void *)a[1], (size_t)a[2]); return true;
    default: return false;
    }
}

// Makes a call that changes the table of timers, which is kept up to date even while time is not virtual. Returns false
// for other calls.
static bool is_call_of_numbers(long number, const long *a, long *result) {
    switch (number) {
    case SYS_timerfd_create: *result = timerfd_create((int)a[0], (int)a[1]); return true;
    case SYS_close: *result = close((int)a[0]); return true;
    case SYS_close_range: *result = close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]); return true;
    case SYS_dup: *result = dup((int)a[0]); return true;
#ifdef SYS_dup2
    case SYS_dup2: *result = dup2((int)a[0], (int)a[1]); return true;
#endif
    case SYS_dup3: *result = dup3((int)a[0], (int)a[1], (int)a[2]); return true;
    case SYS_fcntl: *result = fcntl((int)a[0], (int)a[1], a[2]); return true;
    default: return false;
    }
}

long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6], result;
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    // No call by number is a cancellation point.
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    bool is_made = is_call_of_numbers(number, a, &result)
        || (clock_is_virtual() && is_call_of_time(number, a, &result));
    pthread_setcancelstate(state, NULL);
    if (is_made) return result;
    return libc()->syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif
