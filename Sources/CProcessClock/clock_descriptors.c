// Waits for descriptors until an instant, and timers that are descriptors.
//
// Owns the table of timers: its places are atomic, and the lock protects what is in a timer. The table survives a fork,
// but the kernel's timers are those of the parent. `read` and `close` take the lock only for a timer's descriptor.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

// MARK: Waits for descriptors

static void write_at_deadline(struct wait *wait) {
    atomic_store(&wait->state, wait_has_expired);
    eventfd_write(wait->descriptor, 1);
}

static void end_poll(void *wait) {
    wait_end(wait);
    libc()->close(((struct wait *)wait)->descriptor);
}

// Waits without a time-out, for the descriptors and for a step that comes to the instant. `polled` has room for one row
// more.
static int poll_until(
    const char *call, struct pollfd *polled, nfds_t count, int64_t duration, const sigset_t *signals) {
    struct wait wait = {.call = call, .clock = process_clock_uptime, .fire = write_at_deadline};
    wait.thread = (int32_t)libc()->syscall(SYS_gettid);
    wait.descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wait.descriptor < 0) return -1;
    polled[count] = (struct pollfd){.fd = wait.descriptor, .events = POLLIN};
    wait.deadline = saturating_sum(clock_readings[process_clock_uptime], duration);
    if (!wait_begin(&wait)) write_at_deadline(&wait);
    int result, error;
    pthread_cleanup_push(end_poll, &wait);
    result = libc()->ppoll(polled, count + 1, NULL, signals);
    error = errno;
    pthread_cleanup_pop(true);
    if (result > 0 && polled[count].revents) result--;
    errno = error;
    return result;
}

// Room for 32 rows on the stack, for more on the heap.
struct polled_room {
    struct pollfd few[33];
    struct pollfd *rows;
};

static bool make_room(struct polled_room *room, nfds_t count) {
    room->rows = count + 1 <= 33 ? room->few : malloc((count + 1) * sizeof(struct pollfd));
    return room->rows != NULL;
}

static void free_room(struct polled_room *room) {
    int error = errno;
    if (room->rows != room->few) free(room->rows);
    errno = error;
}

static int named_poll(
    const char *call, struct pollfd *descriptors, nfds_t count, int64_t duration, const sigset_t *signals) {
    struct polled_room room;
    if (!make_room(&room, count)) {
        errno = ENOMEM;
        return -1;
    }
    // The address may be NULL for no rows.
    if (count > 0) memcpy(room.rows, descriptors, count * sizeof(struct pollfd));
    int result = poll_until(call, room.rows, count, duration, signals);
    if (result >= 0) {
        for (nfds_t i = 0; i < count; i++) descriptors[i].revents = room.rows[i].revents;
    }
    free_room(&room);
    return result;
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout) {
    if (!clock_is_virtual() || timeout <= 0) return libc()->poll(descriptors, count, timeout);
    return named_poll("poll", descriptors, count, timeout * 1000000LL, NULL);
}

int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const sigset_t *signals) {
    if (!clock_is_virtual() || !timeout || nanoseconds(timeout) <= 0)
        return libc()->ppoll(descriptors, count, timeout, signals);
    return named_poll("ppoll", descriptors, count, nanoseconds(timeout), signals);
}

// MARK: Sets of descriptors

static int named_select(
    const char *call, int count, fd_set *readable, fd_set *writable, fd_set *exceptional, int64_t duration,
    const sigset_t *signals) {
    struct polled_room room;
    if (count < 0 || !make_room(&room, (nfds_t)count)) {
        errno = count < 0 ? EINVAL : ENOMEM;
        return -1;
    }
    nfds_t used = 0;
    for (int descriptor = 0; descriptor < count; descriptor++) {
        short events = 0;
        if (readable && FD_ISSET(descriptor, readable)) events |= POLLIN;
        if (writable && FD_ISSET(descriptor, writable)) events |= POLLOUT;
        if (exceptional && FD_ISSET(descriptor, exceptional)) events |= POLLPRI;
        if (events) room.rows[used++] = (struct pollfd){.fd = descriptor, .events = events};
    }
    int result = poll_until(call, room.rows, used, duration, signals);
    int bits = 0;
    for (nfds_t i = 0; result >= 0 && i < used; i++) {
        if (!(room.rows[i].revents & POLLNVAL)) continue;
        errno = EBADF;
        result = -1;
    }
    for (nfds_t i = 0; result >= 0 && i < used; i++) {
        short events = room.rows[i].events, found = room.rows[i].revents;
        int descriptor = room.rows[i].fd;
        if (events & POLLIN) {
            if (found & (POLLIN | POLLHUP | POLLERR)) bits++;
            else FD_CLR(descriptor, readable);
        }
        if (events & POLLOUT) {
            if (found & (POLLOUT | POLLERR)) bits++;
            else FD_CLR(descriptor, writable);
        }
        if (events & POLLPRI) {
            if (found & POLLPRI) bits++;
            else FD_CLR(descriptor, exceptional);
        }
    }
    free_room(&room);
    return result < 0 ? result : bits;
}

int select(
    int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict exceptional,
    struct timeval *restrict timeout) {
    int64_t duration = timeout ? timeout->tv_sec * SECOND + timeout->tv_usec * 1000 : 0;
    if (!clock_is_virtual() || duration <= 0) return libc()->select(count, readable, writable, exceptional, timeout);
    return named_select("select", count, readable, writable, exceptional, duration, NULL);
}

int pselect(
    int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict exceptional,
    const struct timespec *restrict timeout, const sigset_t *restrict signals) {
    if (!clock_is_virtual() || !timeout || nanoseconds(timeout) <= 0)
        return libc()->pselect(count, readable, writable, exceptional, timeout, signals);
    return named_select("pselect", count, readable, writable, exceptional, nanoseconds(timeout), signals);
}

// MARK: epoll

static int named_epoll(
    const char *call, int epoll, struct epoll_event *events, int capacity, int64_t duration, const sigset_t *signals) {
    int64_t deadline = saturating_sum(clock_readings[process_clock_uptime], duration);
    while (true) {
        int64_t left = deadline - clock_readings[process_clock_uptime];
        struct pollfd polled[2] = {{.fd = epoll, .events = POLLIN}};
        if (left > 0 && poll_until(call, polled, 1, left, signals) < 0) return -1;
        int result = libc()->epoll_wait(epoll, events, capacity, 0);
        // Another thread may have taken the event.
        if (result != 0 || deadline <= clock_readings[process_clock_uptime]) return result;
    }
}

int epoll_wait(int epoll, struct epoll_event *events, int capacity, int timeout) {
    if (!clock_is_virtual() || timeout <= 0) return libc()->epoll_wait(epoll, events, capacity, timeout);
    return named_epoll("epoll_wait", epoll, events, capacity, timeout * 1000000LL, NULL);
}

int epoll_pwait(int epoll, struct epoll_event *events, int capacity, int timeout, const sigset_t *signals) {
    if (!clock_is_virtual() || timeout <= 0) return libc()->epoll_pwait(epoll, events, capacity, timeout, signals);
    return named_epoll("epoll_pwait", epoll, events, capacity, timeout * 1000000LL, signals);
}

int epoll_pwait2(
    int epoll, struct epoll_event *events, int capacity, const struct timespec *timeout, const sigset_t *signals) {
    if (!clock_is_virtual() || !timeout || nanoseconds(timeout) <= 0)
        return libc()->epoll_pwait2(epoll, events, capacity, timeout, signals);
    return named_epoll("epoll_pwait2", epoll, events, capacity, nanoseconds(timeout), signals);
}

// MARK: Timers that are descriptors

// What a timer was set to. The kernel's timer is armed only at the instant at which it fires.
struct timer {
    struct wait wait;
    int64_t interval;
    uint64_t fired;
    atomic_uint_least64_t reads;
    bool cancels_on_set, is_cancelled;
};

enum { timer_capacity = 65536 };
static _Atomic(struct timer *) timers[timer_capacity];
// Greater than every descriptor that a timer has had.
static atomic_int timers_end;

static struct timer *timer_of(int descriptor) {
    if (descriptor < 0 || descriptor >= timer_capacity) return NULL;
    return atomic_load_explicit(&timers[descriptor], memory_order_acquire);
}

// Returns when the kernel's timer has expired: the descriptor is readable, or has been read. Its remaining time is zero
// a moment before the kernel wakes the threads that wait for the descriptor.
static void make_readable(struct timer *timer) {
    uint64_t reads = atomic_load(&timer->reads);
    struct itimerspec long_ago = {.it_value = {.tv_nsec = 1}};
    libc()->timerfd_settime(timer->wait.descriptor, TFD_TIMER_ABSTIME, &long_ago, NULL);
    struct pollfd polled = {.fd = timer->wait.descriptor, .events = POLLIN};
    while (libc()->poll(&polled, 1, 0) == 0 && atomic_load(&timer->reads) == reads) {}
}

static void fire_timer(struct wait *wait) {
    struct timer *timer = (struct timer *)wait;
    timer->fired++;
    if (timer->interval > 0) {
        int64_t late = clock_readings[wait->clock] - wait->deadline;
        int64_t missed = late > 0 ? late / timer->interval : 0;
        timer->fired += (uint64_t)missed;
        wait->deadline += (missed + 1) * timer->interval;
        wait_enter(wait);
    }
    make_readable(timer);
}

static int64_t left_until_timer(const struct timer *timer) {
    if (!wait_is_entered(&timer->wait)) return 0;
    int64_t left = timer->wait.deadline - clock_readings[timer->wait.clock];
    return left > 0 ? left : 1;
}

static struct itimerspec setting_of(const struct timer *timer) {
    return (struct itimerspec){timespec_of(timer->interval), timespec_of(left_until_timer(timer))};
}

int timerfd_create(int id, int flags) {
    int descriptor = libc()->timerfd_create(id, flags);
    enum process_clock_id clock;
    if (descriptor < 0 || descriptor >= timer_capacity || !clock_of(id, &clock)) return descriptor;
    struct timer *timer = calloc(1, sizeof(struct timer));
    if (!timer) {
        libc()->close(descriptor);
        errno = ENOMEM;
        return -1;
    }
    timer->wait = (struct wait){.call = "timerfd", .clock = clock, .fire = fire_timer, .descriptor = descriptor};
    if (clock == process_clock_uptime && is_called_by_run_loops(__builtin_return_address(0)))
        timer->wait.latest = run_loop_timers_latest;
    atomic_store_explicit(&timers[descriptor], timer, memory_order_release);
    int end = atomic_load(&timers_end);
    while (end <= descriptor && !atomic_compare_exchange_weak(&timers_end, &end, descriptor + 1)) {}
    return descriptor;
}

int timerfd_settime(
    int descriptor, int flags, const struct itimerspec *setting, struct itimerspec *previous) {
    struct timer *timer = timer_of(descriptor);
    if (!clock_is_virtual() || !timer || !setting)
        return libc()->timerfd_settime(descriptor, flags, setting, previous);
    struct itimerspec disarmed = {{0, 0}, {0, 0}};
    clock_lock();
    if (previous) *previous = setting_of(timer);
    wait_leave(&timer->wait);
    libc()->timerfd_settime(descriptor, 0, &disarmed, NULL);
    timer->fired = 0;
    timer->is_cancelled = false;
    timer->interval = nanoseconds(&setting->it_interval);
    timer->cancels_on_set = flags & TFD_TIMER_CANCEL_ON_SET && flags & TFD_TIMER_ABSTIME;
    int64_t value = nanoseconds(&setting->it_value);
    if (value != 0) {
        int64_t now = clock_readings[timer->wait.clock];
        timer->wait.deadline = flags & TFD_TIMER_ABSTIME ? value : saturating_sum(now, value);
        if (timer->wait.deadline <= now) fire_timer(&timer->wait);
        else wait_enter(&timer->wait);
    }
    clock_unlock();
    return 0;
}

int timerfd_gettime(int descriptor, struct itimerspec *setting) {
    struct timer *timer = timer_of(descriptor);
    if (!clock_is_virtual() || !timer) return libc()->timerfd_gettime(descriptor, setting);
    clock_lock();
    *setting = setting_of(timer);
    clock_unlock();
    return 0;
}

ssize_t read(int descriptor, void *buffer, size_t size) {
    ssize_t result = libc()->read(descriptor, buffer, size);
    struct timer *timer = timer_of(descriptor);
    if (!timer || result != sizeof(uint64_t) || !clock_is_virtual()) return result;
    atomic_fetch_add(&timer->reads, 1);
    clock_lock();
    bool is_cancelled = timer->is_cancelled;
    if (timer->fired > 0) memcpy(buffer, &timer->fired, sizeof(uint64_t));
    timer->fired = 0;
    timer->is_cancelled = false;
    clock_unlock();
    if (!is_cancelled) return result;
    errno = ECANCELED;
    return -1;
}

int close(int descriptor) {
    struct timer *timer = timer_of(descriptor);
    if (timer) {
        clock_lock();
        wait_leave(&timer->wait);
        atomic_store(&timers[descriptor], NULL);
        clock_unlock();
        free(timer);
    }
    return libc()->close(descriptor);
}

void timer_descriptors_convert(void) {
    for (int descriptor = 0; descriptor < atomic_load(&timers_end); descriptor++) {
        struct timer *timer = timer_of(descriptor);
        struct itimerspec setting, disarmed = {{0, 0}, {0, 0}};
        if (!timer || libc()->timerfd_gettime(descriptor, &setting) != 0) continue;
        int64_t left = nanoseconds(&setting.it_value);
        if (left == 0) continue;
        libc()->timerfd_settime(descriptor, 0, &disarmed, NULL);
        timer->interval = nanoseconds(&setting.it_interval);
        timer->wait.deadline = saturating_sum(clock_readings[timer->wait.clock], left);
        wait_enter(&timer->wait);
    }
}

static bool is_to_be_cancelled(const struct wait *wait, const void *nothing) {
    const struct timer *timer = (const struct timer *)wait;
    return wait->fire == fire_timer && timer->cancels_on_set && !timer->is_cancelled;
}

void timer_descriptors_cancel_on_set(void) {
    struct timer *timer;
    while ((timer = (struct timer *)wait_find(is_to_be_cancelled, NULL))) {
        timer->is_cancelled = true;
        make_readable(timer);
    }
}

#endif
