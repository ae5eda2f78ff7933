// Programs with children of fork, _Fork and vfork, made while other threads wait, and from a handler that has
// interrupted a wait.
#define _GNU_SOURCE
#include "program.h"

#include "CProcessClock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_bool runs;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *wait_again_and_again(void *number) {
    while (atomic_load(&runs)) {
        struct timespec deadline = time_after(CLOCK_REALTIME, ticks(0.01));
        switch ((intptr_t)number % 3) {
        case 0: sleep_for(ticks(0.01)); break;
        case 1: poll(NULL, 0, (int)(ticks(0.05) / 1000000)); break;
        case 2:
            pthread_mutex_lock(&mutex);
            pthread_cond_timedwait(&condition, &mutex, &deadline);
            pthread_mutex_unlock(&mutex);
        }
    }
    return NULL;
}

// In the child, each way to wait works in the machine's time.
static void live_as_a_child(void) {
    end_child_in_time();
    int64_t before = process_clock_machine_time(), now = reading(CLOCK_MONOTONIC);
    if (before > now || now > process_clock_machine_time()) _exit(2);
    struct timespec moment = time_of(1000000), later;
    pthread_mutex_t own_mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t own_condition = PTHREAD_COND_INITIALIZER;
    if (nanosleep(&moment, NULL) != 0 || poll(NULL, 0, 1) != 0) _exit(3);
    later = time_after(CLOCK_REALTIME, 1000000);
    pthread_mutex_lock(&own_mutex);
    if (pthread_cond_timedwait(&own_condition, &own_mutex, &later) != ETIMEDOUT) _exit(4);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec setting = {.it_value = moment};
    uint64_t fired;
    if (timerfd_settime(timer, 0, &setting, NULL) != 0 || read(timer, &fired, 8) != 8 || fired != 1) _exit(5);
    if (process_clock_is_virtual()) _exit(6);
    _exit(0);
}

static void with_waiting_threads(pid_t (*make_child)(void), int count) {
    enum { most = 6 };
    pthread_t threads[most];
    atomic_store(&runs, true);
    for (intptr_t i = 0; i < most; i++) threads[i] = start(wait_again_and_again, (void *)i);
    for (int i = 0; i < count; i++) {
        pid_t child = make_child();
        if (child == 0) live_as_a_child();
        expect_success(child);
    }
    atomic_store(&runs, false);
    for (int i = 0; i < most; i++) join(threads[i]);
}

static void children(void) { with_waiting_threads(fork, 50); }
static void children_without_handlers(void) { with_waiting_threads(_Fork, 50); }

static pid_t child_of_handler;

static void fork_in_handler(int number) {
    (void)number;
    child_of_handler = fork();
    if (child_of_handler == 0) end_child_in_time();
}

static void *interrupt_once(void *thread) {
    sleep_for(ticks(1));
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    return NULL;
}

static void fork_within_a_wait(void) {
    struct sigaction action = {.sa_handler = fork_in_handler};
    require(sigaction(SIGUSR1, &action, NULL) == 0);
    pthread_t self = pthread_self(), thread = start(interrupt_once, &self);
    struct timespec duration = time_of(ticks(100));
    int result = nanosleep(&duration, &duration);
    if (child_of_handler == 0) {
        if (result != -1 || errno != EINTR) _exit(2);
        live_as_a_child();
    }
    require(result == -1 && errno == EINTR);
    join(thread);
    expect_success(child_of_handler);
    sleep_for(ticks(1));
}

// The child has the files that the program opened, and none of the clock's.
static void descriptors_of_a_child(void) {
    int before = open_descriptors();
    atomic_store(&runs, true);
    pthread_t threads[3];
    for (intptr_t i = 0; i < 3; i++) threads[i] = start(wait_again_and_again, (void *)i);
    for (int i = 0; i < 20; i++) {
        sleep_for(ticks(0.1));
        pid_t child = fork();
        if (child == 0) _exit(open_descriptors() <= before ? 0 : 1);
        expect_success(child);
    }
    atomic_store(&runs, false);
    for (int i = 0; i < 3; i++) join(threads[i]);
}

// The child of vfork has the memory of its parent.
static void a_timer_closed_by_a_vfork_child(void) {
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec setting = {.it_value = time_of(ticks(1))};
    require(timerfd_settime(timer, 0, &setting, NULL) == 0);
    pid_t child = vfork();
    if (child == 0) {
        close(timer);
        _exit(0);
    }
    expect_success(child);
    uint64_t fired = 0;
    require(read(timer, &fired, 8) == 8 && fired == 1);
    close(timer);
}

const struct program fork_programs[] = {
    {"children of fork have the machine's time", children, false},
    {"children of _Fork have the machine's time", children_without_handlers, false},
    {"a fork within a wait", fork_within_a_wait, false},
    {"a child has no descriptor of the clock", descriptors_of_a_child, false},
    {"a child of vfork closes a timer", a_timer_closed_by_a_vfork_child, false},
    {NULL, NULL, false},
};
