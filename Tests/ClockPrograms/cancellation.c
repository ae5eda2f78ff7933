// Programs with threads that are cancelled while they wait. pthreads(7) has the list of cancellation points.
#define _GNU_SOURCE
#include "program.h"

#include "CProcessClock.h"

#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t never_posted;
static int64_t long_time;

static void unlock(void *nothing) {
    (void)nothing;
    // When a wait for a condition is cancelled, this thread must have the mutex.
    require(pthread_mutex_trylock(&mutex) != 0 && pthread_mutex_unlock(&mutex) == 0);
}

static void wait_nanosleep(void) {
    struct timespec time = time_of(long_time);
    nanosleep(&time, NULL);
}
static void wait_clock_nanosleep(void) {
    struct timespec time = time_of(long_time);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}
static void wait_clock_nanosleep_until(void) {
    struct timespec deadline = time_after(CLOCK_REALTIME, long_time);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &deadline, NULL);
}
static void wait_usleep(void) { usleep(4000000000); }
static void wait_sleep(void) { sleep(1000000); }
static void wait_poll(void) { poll(NULL, 0, 2000000000); }
static void wait_poll_many(void) {
    struct pollfd many[100];
    for (int i = 0; i < 100; i++) many[i] = (struct pollfd){.fd = -1};
    poll(many, 100, 2000000000);
}
static void wait_ppoll(void) {
    struct timespec time = time_of(long_time);
    ppoll(NULL, 0, &time, NULL);
}
static void wait_select(void) {
    struct timeval time = {long_time / 1000000000, 0};
    select(0, NULL, NULL, NULL, &time);
}
static void wait_pselect(void) {
    struct timespec time = time_of(long_time);
    pselect(0, NULL, NULL, NULL, &time, NULL);
}
static void close_it(void *descriptor) { close(*(int *)descriptor); }
static void wait_epoll(void) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event;
    pthread_cleanup_push(close_it, &epoll);
    epoll_wait(epoll, &event, 1, 2000000000);
    pthread_cleanup_pop(1);
}
static void wait_sem_timedwait(void) {
    struct timespec deadline = time_after(CLOCK_REALTIME, long_time);
    sem_timedwait(&never_posted, &deadline);
}
static void wait_sem_clockwait(void) {
    struct timespec deadline = time_after(CLOCK_MONOTONIC, long_time);
    sem_clockwait(&never_posted, CLOCK_MONOTONIC, &deadline);
}
static void wait_condition(int says_clock) {
    struct timespec deadline = time_after(says_clock ? CLOCK_MONOTONIC : CLOCK_REALTIME, long_time);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    if (says_clock) pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &deadline);
    else pthread_cond_timedwait(&condition, &mutex, &deadline);
    pthread_cleanup_pop(1);
}
static void wait_cond_timedwait(void) { wait_condition(0); }
static void wait_cond_clockwait(void) { wait_condition(1); }

static void (*const calls[])(void) = {
    wait_nanosleep, wait_clock_nanosleep, wait_clock_nanosleep_until, wait_usleep,        wait_sleep,
    wait_poll,      wait_poll_many,       wait_ppoll,                 wait_select,        wait_pselect,
    wait_epoll,     wait_sem_timedwait,   wait_sem_clockwait,         wait_cond_timedwait, wait_cond_clockwait};
enum { call_count = sizeof calls / sizeof *calls };

static void *wait_once(void *call) {
    (*(void (*const *)(void))call)();
    return NULL;
}

static void cancel_all(int64_t delay) {
    require(sem_init(&never_posted, 0, 0) == 0);
    long_time = time_is_virtual() ? ticks(100000) : 1000000000000000;
    int before = open_descriptors();
    for (int round = 0; round < 3; round++) {
        pthread_t threads[call_count];
        for (int i = 0; i < call_count; i++) threads[i] = start(wait_once, (void *)&calls[i]);
        if (delay > 0) sleep_for(delay);
        for (int i = 0; i < call_count; i++) require(pthread_cancel(threads[i]) == 0);
        for (int i = 0; i < call_count; i++) {
            void *result = NULL;
            require(pthread_join(threads[i], &result) == 0 && result == PTHREAD_CANCELED);
        }
        // Other threads reuse the stacks of the cancelled ones, so a step that still found one of their waits would
        // write into these stacks.
        sleep_for(ticks(1));
    }
    require(time_is_virtual() || open_descriptors() == before);
    struct timespec deadline = time_after(CLOCK_REALTIME, ticks(1));
    pthread_mutex_lock(&mutex);
    require(pthread_cond_timedwait(&condition, &mutex, &deadline) != 0);
    pthread_mutex_unlock(&mutex);
    require(reading(CLOCK_MONOTONIC) < long_time);
}

static void cancelled_waits(void) { cancel_all(ticks(1)); }
static void cancelled_before_the_wait(void) { cancel_all(0); }

// A sleep of no length must be a cancellation point too.
static void *sleep_without_length(void *is_ready) {
    struct timespec none = {0, 0};
    require(sem_post(is_ready) == 0);
    while (1) nanosleep(&none, NULL);
    return NULL;
}

static void cancelled_short_sleeps(void) {
    sem_t is_ready;
    void *result = NULL;
    require(sem_init(&is_ready, 0, 0) == 0);
    pthread_t thread = start(sleep_without_length, &is_ready);
    require(sem_wait(&is_ready) == 0 && pthread_cancel(thread) == 0);
    require(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
}

static int ends[2];
static sem_t polls;

static void *poll_for_a_byte(void *nothing) {
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    require(sem_post(&polls) == 0);
    poll(&polled, 1, 2000000000);
    return nothing;
}

// Cancels a thread whose wait has ended, when the files that the wait has opened are about to be closed.
static void cancelled_after_the_wait(void) {
    require(pipe(ends) == 0 && sem_init(&polls, 0, 0) == 0);
    int open[2];
    for (int part = 0; part < 2; part++) {
        for (int round = 0; round < 1500; round++) {
            char byte = 0;
            pthread_t thread = start(poll_for_a_byte, NULL);
            require(sem_wait(&polls) == 0);
            require(write(ends[1], &byte, 1) == 1 && pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
            require(read(ends[0], &byte, 1) == 1);
        }
        // If a thread had ended while it held the clock's lock, this sleep would hang.
        sleep_for(ticks(1));
        open[part] = open_descriptors();
    }
    // The number of descriptors before the first part is of no use, because the clock opens files at its first step and
    // keeps them. Therefore the number after the first part is compared with the number after the second.
    require(open[0] == open[1]);
}

static atomic_int begun;
static bool had_blocked_signals;

static void note_blocked_signals(void *nothing) {
    (void)nothing;
    sigset_t blocked;
    require(pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0);
    had_blocked_signals |= sigismember(&blocked, SIGTERM);
}

static void *take_the_lock_for_ever(void *nothing) {
    pthread_cleanup_push(note_blocked_signals, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    atomic_fetch_add(&begun, 1);
    while (1) process_clock_jump(0, 0, 0);
    pthread_cleanup_pop(1);
    return nothing;
}

// A thread that can be cancelled at any instruction, as each thread is in the waits of the clock, has the lock or
// waits for it nearly always when it is cancelled. Its cleanup handlers must run with the signals that it had.
static void cancelled_with_the_lock(void) {
    for (int round = 0; round < 500; round++) {
        pthread_t thread = start(take_the_lock_for_ever, NULL);
        void *result = NULL;
        while (atomic_load(&begun) == round) sched_yield();
        for (int turn = 0; turn < round; turn++) process_clock_jump(0, 0, 0);
        require(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
        require(!had_blocked_signals);
    }
}

static void *begin_when_cancelled(void *nothing) {
    struct process_clock_reading now = {3600000000000, 3600000000000, 1767225600000000000};
    pthread_cancel(pthread_self());
    if (process_clock_begin(now) != 0 || process_clock_settle(10000000000) != 0) _exit(2);
    pthread_testcancel();
    return nothing;
}

// The functions of the clock contain no cancellation point, because a thread that is cancelled there could end while it
// has a lock. The child has a timer that the clock finds by reading a file.
static void cancelled_callers_of_the_clock(void) {
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec setting = {.it_value = time_of(3600000000000)};
    require(timerfd_settime(timer, 0, &setting, NULL) == 0);
    pid_t child = fork();
    if (child == 0) {
        end_child_in_time();
        void *result = NULL;
        pthread_t thread = start(begin_when_cancelled, NULL);
        if (pthread_join(thread, &result) != 0 || result != PTHREAD_CANCELED) _exit(3);
        _exit(process_clock_advance(1000000000, 10000000000) == 0 && process_clock_is_virtual() ? 0 : 4);
    }
    expect_success(child);
    close(timer);
}

const struct program cancellation_programs[] = {
    {"threads are cancelled in their waits", cancelled_waits, false},
    {"threads are cancelled before their waits", cancelled_before_the_wait, false},
    {"a thread is cancelled when its wait has ended", cancelled_after_the_wait, false},
    {"a thread is cancelled among sleeps of no length", cancelled_short_sleeps, false},
    {"a thread is cancelled between instructions of the clock", cancelled_with_the_lock, false},
    {"a cancelled thread begins virtual time", cancelled_callers_of_the_clock, false},
    {NULL, NULL, false},
};
