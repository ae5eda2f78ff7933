// Replaces the calls that wait for descriptors until an instant, and the calls for timers that are descriptors.
//
// Owns the table of timers. Its entries are atomic, and the lock protects the contents of the timers. A child has an
// empty table. `read`, `close` and similar calls take the lock only for a timer's descriptor.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/mman.h>

// MARK: Waits for descriptors

static void write_at_deadline(struct wait *wait) {
    atomic_store(&wait->state, wait_has_expired);
    uint64_t one = 1;
    libc()->syscall(SYS_write, wait->descriptor, &one, sizeof one);
}

// Waits until one of the descriptors is ready, or a step reaches the end of the duration. The kernel gets no time-out.
// `polled` must have room for one row more than `count`.
static int poll_until(
    const char *call, struct pollfd *polled, nfds_t count, int64_t duration, const sigset_t *signals) {
    int64_t deadline = saturating_sum(clock_readings[process_clock_uptime], duration);
    int result = -1, error;
    struct wait *wait = wait_new(call, process_clock_uptime, deadline, NULL, write_at_deadline);
    pthread_cleanup_push(wait_end, wait);
    wait->descriptor = own_descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (wait->descriptor >= 0) {
        polled[count] = (struct pollfd){.fd = wait->descriptor, .events = POLLIN};
        if (!wait_begin(wait)) write_at_deadline(wait);
        result = libc()->ppoll(polled, count + 1, NULL, signals);
    }
    error = errno;
    pthread_cleanup_pop(true);
    if (result > 0 && polled[count].revents) result--;
    errno = error;
    return result;
}

// The rows for up to 32 descriptors are on the stack; for more descriptors they are on the heap.
struct polled_room {
    struct pollfd few[33];
    struct pollfd *rows;
};

static bool make_room(struct polled_room *room, nfds_t count) {
    room->rows = count + 1 <= 33 ? room->few : malloc((count + 1) * sizeof(struct pollfd));
    return room->rows != NULL;
}

static void free_room(void *argument) {
    struct polled_room *room = argument;
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
    // `descriptors` may be NULL if `count` is 0.
    if (count > 0) memcpy(room.rows, descriptors, count * sizeof(struct pollfd));
    int result;
    pthread_cleanup_push(free_room, &room);
    result = poll_until(call, room.rows, count, duration, signals);
    for (nfds_t i = 0; result >= 0 && i < count; i++) descriptors[i].revents = room.rows[i].revents;
    pthread_cleanup_pop(true);
    return result;
}

// Passes on the result of a poll that does not wait, and notes if it has found nothing.
static int counted(int result) {
    if (result == 0 && clock_is_virtual()) waited_in_vain();
    return result;
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout) {
    if (!clock_is_virtual() || timeout <= 0) return counted(libc()->poll(descriptors, count, timeout));
    return named_poll("poll", descriptors, count, timeout * 1000000LL, NULL);
}

int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const sigset_t *signals) {
    if (!clock_is_virtual() || !timeout || nanoseconds(timeout) <= 0)
        return counted(libc()->ppoll(descriptors, count, timeout, signals));
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
    int result, bits = 0;
    pthread_cleanup_push(free_room, &room);
    result = poll_until(call, room.rows, used, duration, signals);
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
    pthread_cleanup_pop(true);
    return result < 0 ? result : bits;
}

int select(
    int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict exceptional,
    struct timeval *restrict timeout) {
    int64_t duration = timeout ? nanoseconds(&(struct timespec){timeout->tv_sec, timeout->tv_usec * 1000}) : 0;
    if (!clock_is_virtual() || duration <= 0)
        return counted(libc()->select(count, readable, writable, exceptional, timeout));
    return named_select("select", count, readable, writable, exceptional, duration, NULL);
}

int pselect(
    int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict exceptional,
    const struct timespec *restrict timeout, const sigset_t *restrict signals) {
    if (!clock_is_virtual() || !timeout || nanoseconds(timeout) <= 0)
        return counted(libc()->pselect(count, readable, writable, exceptional, timeout, signals));
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

// MARK: The table of timers

// The setting of a timer. The kernel's timer is armed only at the instant at which it fires. The memory is reused for
// other timers and never unmapped, because `read` uses a timer that another thread may close.
struct timer {
    // `wait.descriptor` is one of the numbers that lead to the timer.
    struct wait wait;
    int numbers;
    int64_t interval;
    uint64_t fired;
    atomic_uint_least64_t reads;
    bool cancels_on_set, is_cancelled;
};

static struct {
    ZERO_IN_CHILDREN _Atomic(struct timer *) timers[descriptor_capacity];
    // Greater than every descriptor that a timer has had.
    atomic_int end;
    struct wait *free_timers;
    // The process that the table belongs to. A child of vfork shares this memory, but has descriptors of its own.
    pid_t process;
} table;

__attribute__((constructor(101))) static void be_separate(void) { zero_in_children(&table, sizeof table); }

static struct timer *timer_of(int descriptor) {
    if (descriptor < 0 || descriptor >= descriptor_capacity) return NULL;
    return atomic_load_explicit(&table.timers[descriptor], memory_order_acquire);
}

static bool is_timer(int descriptor) {
    struct itimerspec setting;
    return libc()->timerfd_gettime(descriptor, &setting) == 0;
}

// With the lock held: takes a number away from its timer, and frees a timer without numbers.
static void drop_number(int descriptor) {
    struct timer *timer = timer_of(descriptor);
    if (!timer) return;
    atomic_store(&table.timers[descriptor], NULL);
    if (--timer->numbers == 0) {
        wait_leave(&timer->wait);
        timer->wait.next = table.free_timers;
        table.free_timers = &timer->wait;
    }
    for (int other = 0; timer->numbers > 0 && timer->wait.descriptor == descriptor && other < table.end; other++) {
        if (timer_of(other) == timer) timer->wait.descriptor = other;
    }
}

// With the lock held: returns the timer of a number; NULL if the file with that number is not a timer, or is no longer
// a timer.
static struct timer *true_timer_of(int descriptor) {
    if (timer_of(descriptor) && !is_timer(descriptor)) drop_number(descriptor);
    return timer_of(descriptor);
}

// With the lock held: makes a number lead to a timer.
static void add_number(struct timer *timer, int descriptor) {
    if (descriptor < 0 || descriptor >= descriptor_capacity) return;
    drop_number(descriptor);
    timer->numbers++;
    atomic_store_explicit(&table.timers[descriptor], timer, memory_order_release);
    if (table.end <= descriptor) atomic_store(&table.end, descriptor + 1);
}

// With the lock held: takes a free timer; NULL without memory. New timers come from mmap and not from malloc, because
// `timerfd_create` must not take malloc's lock, which libc's own does not take.
static struct timer *new_timer(void) {
    enum { count = 64 };
    if (!table.free_timers) {
        struct timer *more = mmap(
            NULL, count * sizeof(struct timer), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED) return NULL;
        for (int i = 0; i < count; i++) more[i].wait.next = i + 1 < count ? &more[i + 1].wait : NULL;
        table.free_timers = &more[0].wait;
    }
    struct timer *timer = (struct timer *)table.free_timers;
    table.free_timers = timer->wait.next;
    timer->interval = 0, timer->fired = 0, timer->cancels_on_set = timer->is_cancelled = false;
    return timer;
}

// MARK: Timers

// Arms the kernel's timer for an instant that has passed, and waits until the timer's descriptor is readable, has been
// read, or is not a timer any more. The timer's remaining time would not show that the descriptor is readable, because
// it is zero a moment before the kernel wakes the threads that wait for the descriptor.
static void make_readable(struct timer *timer) {
    uint64_t reads = atomic_load(&timer->reads);
    struct itimerspec long_ago = {.it_value = {.tv_nsec = 1}};
    if (libc()->timerfd_settime(timer->wait.descriptor, TFD_TIMER_ABSTIME, &long_ago, NULL) != 0) return;
    int descriptor = timer->wait.descriptor;
    // The loop ends after 10 ms, because a call that is not seen here may read the descriptor before it is found
    // readable.
    int64_t end = process_clock_machine_time() + 10000000;
    while (!is_readable_at_once(descriptor) && atomic_load(&timer->reads) == reads && is_timer(descriptor)
           && process_clock_machine_time() < end) {}
}

static void fire_timer(struct wait *wait) {
    struct timer *timer = (struct timer *)wait;
    while (timer->numbers > 0 && !is_timer(wait->descriptor)) drop_number(wait->descriptor);
    if (timer->numbers == 0) return;
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
    if (descriptor < 0 || descriptor >= descriptor_capacity || !clock_of(id, &clock)) return descriptor;
    bool is_of_run_loop = clock == process_clock_uptime && is_called_by_run_loops(__builtin_return_address(0));
    clock_lock();
    struct timer *timer = new_timer();
    if (timer) {
        timer->wait = (struct wait){.call = "timerfd", .clock = clock, .fire = fire_timer, .descriptor = descriptor};
        if (is_of_run_loop) timer->wait.latest = run_loop_timers_latest;
        table.process = getpid();
        add_number(timer, descriptor);
    }
    clock_unlock();
    if (timer) return descriptor;
    libc()->close(descriptor);
    errno = ENOMEM;
    return -1;
}

int timerfd_settime(
    int descriptor, int flags, const struct itimerspec *setting, struct itimerspec *previous) {
    if (!clock_is_virtual() || !timer_of(descriptor) || !setting)
        return libc()->timerfd_settime(descriptor, flags, setting, previous);
    struct itimerspec disarmed = {{0, 0}, {0, 0}};
    clock_lock();
    struct timer *timer = true_timer_of(descriptor);
    if (!timer) {
        clock_unlock();
        return libc()->timerfd_settime(descriptor, flags, setting, previous);
    }
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
    if (!clock_is_virtual() || !timer_of(descriptor)) return libc()->timerfd_gettime(descriptor, setting);
    clock_lock();
    struct timer *timer = true_timer_of(descriptor);
    if (timer) *setting = setting_of(timer);
    clock_unlock();
    return timer ? 0 : libc()->timerfd_gettime(descriptor, setting);
}

ssize_t read(int descriptor, void *buffer, size_t size) {
    ssize_t result = libc()->read(descriptor, buffer, size);
    struct timer *timer = timer_of(descriptor);
    if (!timer || result != sizeof(uint64_t) || !clock_is_virtual()) return result;
    // The read is counted before the lock is taken, because the holder of the lock may wait for the count in
    // make_readable.
    atomic_fetch_add(&timer->reads, 1);
    bool is_cancelled = false;
    clock_lock();
    timer = true_timer_of(descriptor);
    if (timer) {
        is_cancelled = timer->is_cancelled;
        if (timer->fired > 0) memcpy(buffer, &timer->fired, sizeof(uint64_t));
        timer->fired = 0;
        timer->is_cancelled = false;
    }
    clock_unlock();
    if (!is_cancelled) return result;
    errno = ECANCELED;
    return -1;
}

// MARK: Numbers of descriptors

// Takes the descriptors of a range away from their timers, because these descriptors are about to be closed or given to
// other files.
static void drop_numbers(unsigned first, unsigned last) {
    if (first >= (unsigned)table.end) return;
    if (last >= (unsigned)table.end) last = (unsigned)table.end - 1;
    bool is_any = false;
    for (unsigned descriptor = first; !is_any && descriptor <= last; descriptor++)
        is_any = timer_of((int)descriptor) != NULL;
    if (!is_any || table.process != getpid()) return;
    clock_lock();
    for (unsigned descriptor = first; descriptor <= last; descriptor++) drop_number((int)descriptor);
    clock_unlock();
}

// Notes that `descriptor` is another number of the file, and returns it.
static int duplicated(int file, int descriptor) {
    if (descriptor < 0 || !timer_of(file) || table.process != getpid()) return descriptor;
    clock_lock();
    struct timer *timer = true_timer_of(file);
    if (timer && file != descriptor) add_number(timer, descriptor);
    clock_unlock();
    return descriptor;
}

static bool is_open(int descriptor) { return libc()->fcntl(descriptor, F_GETFD) >= 0; }

static int refused(int error) {
    errno = error;
    return -1;
}

int close(int descriptor) {
    if (is_own_descriptor(descriptor)) return refused(EBADF);
    if (timer_of(descriptor)) drop_numbers((unsigned)descriptor, (unsigned)descriptor);
    return libc()->close(descriptor);
}

// Closes the descriptors of a range, except the clock's own.
static int close_others(unsigned first, unsigned last, int flags) {
    for (unsigned own = first; own <= last && own < descriptor_capacity; own++) {
        if (!is_own_descriptor((int)own)) continue;
        if (own > first && libc()->close_range(first, own - 1, flags) != 0) return -1;
        first = own + 1;
    }
    return first > last ? 0 : libc()->close_range(first, last, flags);
}

int close_range(unsigned first, unsigned last, int flags) {
    if (first > last || flags & ~(int)CLOSE_RANGE_UNSHARE) return libc()->close_range(first, last, flags);
    drop_numbers(first, last);
    return close_others(first, last, flags);
}

void closefrom(int first) {
    if (close_range(first > 0 ? (unsigned)first : 0, ~0U, 0) != 0) abort();
}

int dup(int file) { return duplicated(file, libc()->dup(file)); }

int dup2(int file, int descriptor) {
    if (is_own_descriptor(descriptor)) return refused(EBUSY);
    if (file != descriptor && timer_of(descriptor) && is_open(file))
        drop_numbers((unsigned)descriptor, (unsigned)descriptor);
    return duplicated(file, libc()->dup2(file, descriptor));
}

int dup3(int file, int descriptor, int flags) {
    if (is_own_descriptor(descriptor)) return refused(EBUSY);
    if (file != descriptor && timer_of(descriptor) && is_open(file))
        drop_numbers((unsigned)descriptor, (unsigned)descriptor);
    return duplicated(file, libc()->dup3(file, descriptor, flags));
}

#define CLOCK_FCNTL(name)                                                                                              \
    int name(int file, int command, ...) {                                                                             \
        va_list list;                                                                                                  \
        va_start(list, command);                                                                                       \
        void *argument = va_arg(list, void *);                                                                         \
        va_end(list);                                                                                                  \
        int result = libc()->name(file, command, argument);                                                            \
        return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? duplicated(file, result) : result;                   \
    }
CLOCK_FCNTL(fcntl)
CLOCK_FCNTL(fcntl64)

// MARK: All timers

// Finds the clock of a timer that was made by another process, or by the program that this process ran before.
static bool clock_of_timer(int descriptor, enum process_clock_id *clock) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", descriptor);
    int file = open_at_once(path, O_RDONLY, 0);
    ssize_t length = file < 0 ? 0 : read_at_once(file, text, sizeof text - 1);
    if (file >= 0) close_at_once(file);
    text[length > 0 ? length : 0] = 0;
    const char *id = strstr(text, "clockid:");
    return id && clock_of((clockid_t)strtol(id + strlen("clockid:"), NULL, 10), clock);
}

static bool is_same_file(int one, int other) {
    const int files = 0;  // KCMP_FILE
    return libc()->syscall(SYS_kcmp, getpid(), getpid(), files, one, other) == 0;
}

// With the lock held: enters the number of a timer's descriptor into the table, if the descriptor is not in it yet.
// Returns false if there is no memory.
static bool adopt(int32_t descriptor, void *nothing) {
    enum process_clock_id clock;
    if (timer_of(descriptor) || !is_timer(descriptor) || !clock_of_timer(descriptor, &clock)) return true;
    struct timer *timer = NULL;
    for (int other = 0; other < table.end && !timer; other++) {
        if (timer_of(other) && is_same_file(other, descriptor)) timer = timer_of(other);
    }
    if (!timer) {
        timer = new_timer();
        if (!timer) return false;
        timer->wait = (struct wait){.call = "timerfd", .clock = clock, .fire = fire_timer, .descriptor = descriptor};
    }
    add_number(timer, descriptor);
    return true;
}

void timer_descriptors_convert(void) {
    int folder = open_at_once("/proc/self/fd", O_RDONLY | O_DIRECTORY, 0);
    table.process = getpid();
    if (folder >= 0) {
        for_each_number(folder, adopt, NULL);
        close_at_once(folder);
    }
    for (int descriptor = 0; descriptor < table.end; descriptor++) {
        struct timer *timer = timer_of(descriptor);
        struct itimerspec setting, disarmed = {{0, 0}, {0, 0}};
        if (!timer || timer->wait.descriptor != descriptor) continue;
        if (libc()->timerfd_gettime(descriptor, &setting) != 0) continue;
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
