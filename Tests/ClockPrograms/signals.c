// Programs that check what a signal handler may call, and how the handler affects the wait that it interrupts.
#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <linux/futex.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    require(sigaction(number, &action, NULL) == 0);
}

// MARK: Calls in a handler

static atomic_int handled;
static atomic_bool runs;
static sem_t posted;
static int timer;

static void call_everything(int number) {
    (void)number;
    int error = errno;
    struct timespec now;
    struct itimerspec left;
    require(clock_gettime(CLOCK_MONOTONIC, &now) == 0 && time(NULL) > 0);
    require(sem_post(&posted) == 0);
    require(timerfd_gettime(timer, &left) == 0);
    require(poll(NULL, 0, 0) == 0);
    atomic_fetch_add(&handled, 1);
    errno = error;
}

static void *interrupt(void *thread) {
    while (atomic_load(&runs)) {
        pthread_kill(*(pthread_t *)thread, SIGUSR1);
    }
    return NULL;
}

static void calls_in_a_handler(void) {
    require(sem_init(&posted, 0, 0) == 0);
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec setting = {.it_value = time_of(ticks(1000))};
    handle(SIGUSR1, call_everything, 0);
    atomic_store(&runs, true);
    pthread_t self = pthread_self(), thread = start(interrupt, &self);
    while (atomic_load(&handled) < 500) {
        // Each of these calls takes the clock's lock.
        struct timespec deadline = time_after(CLOCK_REALTIME, 0);
        sem_timedwait(&posted, &deadline);
        require(timerfd_settime(timer, 0, &setting, NULL) == 0);
    }
    atomic_store(&runs, false);
    join(thread);
}

// MARK: Handlers that restart calls

static int nap(int64_t time) {
    struct timespec duration = time_of(time);
    return nanosleep(&duration, &duration) == -1 && errno == EINTR && (duration.tv_sec > 0 || duration.tv_nsec > 0);
}
static int clock_nap(int64_t time) {
    struct timespec duration = time_of(time);
    return clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, NULL) == EINTR;
}
static int nap_until(int64_t time) {
    struct timespec deadline = time_after(CLOCK_MONOTONIC, time);
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR;
}
static int nap_seconds(int64_t time) { return sleep((unsigned)(time / 1000000000)) > 0; }
static int wait_poll(int64_t time) { return poll(NULL, 0, (int)(time / 1000000)) == -1 && errno == EINTR; }
static int wait_select(int64_t time) {
    struct timeval duration = {time / 1000000000, time % 1000000000 / 1000};
    return select(0, NULL, NULL, NULL, &duration) == -1 && errno == EINTR;
}
static int wait_epoll(int64_t time) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event;
    int result = epoll_wait(epoll, &event, 1, (int)(time / 1000000)) == -1 && errno == EINTR;
    close(epoll);
    return result;
}
static int wait_semaphore(int64_t time) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    struct timespec deadline = time_after(CLOCK_REALTIME, time);
    return sem_timedwait(&semaphore, &deadline) == -1 && errno == EINTR;
}

static void do_nothing(int number) { (void)number; }

static void *interrupt_slowly(void *thread) {
    while (atomic_load(&runs)) {
        sleep_for(ticks(1));
        pthread_kill(*(pthread_t *)thread, SIGUSR1);
    }
    return NULL;
}

static void interrupted_waits(int flags) {
    static int (*const calls[])(int64_t) = {nap, clock_nap, nap_until, nap_seconds, wait_poll, wait_select, wait_epoll,
                                            wait_semaphore};
    handle(SIGUSR1, do_nothing, flags);
    atomic_store(&runs, true);
    pthread_t self = pthread_self(), thread = start(interrupt_slowly, &self);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (!calls[i](time_is_virtual() ? ticks(100) : 100000000000)) {
            fprintf(stderr, "call %zu is not interrupted\n", i);
            abort();
        }
    }
    atomic_store(&runs, false);
    join(thread);
}

static void interrupting(void) { interrupted_waits(0); }
// Calls that wait for time are never restarted: signal(7).
static void interrupting_with_restart(void) { interrupted_waits(SA_RESTART); }

// MARK: Handlers that wait, and that do not return

static atomic_int nested_waits;

static void wait_in_handler(int number) {
    (void)number;
    struct timespec duration = time_of(ticks(0.5));
    nanosleep(&duration, NULL);
    atomic_fetch_add(&nested_waits, 1);
}

static void *interrupt_once(void *thread) {
    sleep_for(ticks(1));
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    return NULL;
}

static void a_wait_within_a_wait(void) {
    static char stack[64 * 1024];
    for (int is_alternate = 0; is_alternate < 2; is_alternate++) {
        stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = is_alternate ? 0 : SS_DISABLE};
        require(sigaltstack(&alternate, NULL) == 0);
        handle(SIGUSR1, wait_in_handler, SA_ONSTACK);
        pthread_t self = pthread_self(), thread = start(interrupt_once, &self);
        int64_t before = reading(CLOCK_MONOTONIC);
        sleep_for(ticks(3));
        join(thread);
        require(reading(CLOCK_MONOTONIC) - before >= ticks(3) && atomic_load(&nested_waits) == is_alternate + 1);
    }
}

// These functions take and release the clock's lock. With them, this program chooses the moment of a call at which a
// signal arrives.
void clock_lock(void);
void clock_unlock(void);

static atomic_int wanted_locks, taken_locks;
static pid_t caller;

static bool is_asleep(pid_t thread) {
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    require(file >= 0 && read(file, text, sizeof text - 1) > 0 && close(file) == 0);
    return strstr(text, ") S ") != NULL;
}

// Makes the other thread take the lock, so that the next call of this thread waits for it.
static void want_lock(int number) {
    (void)number;
    int wanted = atomic_fetch_add(&wanted_locks, 1) + 1;
    while (atomic_load(&taken_locks) < wanted) sched_yield();
}

static void sleep_beyond_the_deadline(int number) {
    (void)number;
    int error = errno;
    sleep_for(ticks(2));
    errno = error;
}

// Sends a signal to a thread that waits for the lock. That thread blocks all signals, so the signal arrives when it
// unlocks.
static void *signal_at_the_lock(void *thread) {
    static const int signals[] = {SIGUSR1, SIGUSR2};
    for (int i = 0; i < 2; i++) {
        while (atomic_load(&wanted_locks) <= i) sched_yield();
        clock_lock();
        atomic_fetch_add(&taken_locks, 1);
        while (!is_asleep(caller)) sched_yield();
        pthread_kill(*(pthread_t *)thread, signals[i]);
        clock_unlock();
    }
    return NULL;
}

// A wait for a word first makes its row, then enters the row, and then calls the kernel. The first signal arrives
// before the row is entered, and the second one before the kernel is called. The handler of the second signal sleeps
// beyond the deadline, so the kernel's wait begins after the deadline.
static void a_handler_before_a_wait_for_a_word(void) {
    int word = 0;
    struct timespec duration = time_of(ticks(1));
    caller = (pid_t)syscall(SYS_gettid);
    handle(SIGUSR1, want_lock, 0);
    handle(SIGUSR2, sleep_beyond_the_deadline, 0);
    pthread_t self = pthread_self(), thread = start(signal_at_the_lock, &self);
    want_lock(0);
    require(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &duration, NULL, 0) == -1 && errno == ETIMEDOUT);
    join(thread);
}

static sigjmp_buf place;

static void jump(int number) { siglongjmp(place, number); }

__attribute__((noinline)) static void leave_by_a_jump(int call) {
    volatile char deep[16384];
    memset((char *)deep, call, sizeof deep);
    struct timespec duration = time_of(ticks(100));
    if (call == 0) nanosleep(&duration, NULL);
    else poll(NULL, 0, 2000000000);
    require(deep[0] == call + 1);
}

__attribute__((noinline)) static void overwrite_the_stack(void) {
    volatile char deep[65536];
    memset((char *)deep, 0x55, sizeof deep);
    require(deep[65535] == 0x55);
}

static void jumps_out_of_a_wait(void) {
    handle(SIGUSR1, jump, 0);
    for (int round = 0; round < 6; round++) {
        pthread_t self = pthread_self(), thread = start(interrupt_once, &self);
        if (sigsetjmp(place, 1) == 0) leave_by_a_jump(round % 2);
        overwrite_the_stack();
        join(thread);
        int64_t before = reading(CLOCK_MONOTONIC);
        sleep_for(ticks(2));
        require(reading(CLOCK_MONOTONIC) - before >= ticks(2));
    }
    // This sleeps beyond the deadlines of the waits that the handlers have jumped out of.
    sleep_for(ticks(time_is_virtual() ? 1000 : 1));
}

const struct program signal_programs[] = {
    {"handlers call what is async-signal-safe", calls_in_a_handler, false},
    {"handlers interrupt waits", interrupting, false},
    {"handlers with SA_RESTART interrupt waits", interrupting_with_restart, false},
    {"a handler waits within a wait", a_wait_within_a_wait, false},
    {"a handler waits before a wait for a word of memory", a_handler_before_a_wait_for_a_word, true},
    {"a handler jumps out of a wait", jumps_out_of_a_wait, false},
    {NULL, NULL, false},
};
