// Checks of the process clock: each way to wait, and descriptors, threads and timers in many numbers and sizes.
#define _GNU_SOURCE
#include "checks.h"

#include "CProcessClock.h"
#include "CWaitingCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A symbol of Dispatch, which is not in this program; thread_of_main_queue reads it.
const unsigned char _dispatch_main_q[64] = {0};

static const int64_t second = 1000000000, limit = 60000000000;

static void begin(void) {
    // This timer is set before time is virtual, and is converted when time becomes virtual.
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct itimerspec hour = {.it_value = {.tv_sec = 3600}};
    require(timerfd_settime(timer, 0, &hour, NULL) == 0);
    struct process_clock_reading now = {100 * second, 200 * second, 1800000000 * second};
    require(!process_clock_is_virtual() && process_clock_step(0, limit) == ENOTSUP);
    require(process_clock_advance(1, limit) == ENOTSUP && process_clock_run_by_itself(0) == ENOTSUP);
    require(process_clock_begin(now) == 0 && process_clock_is_virtual());
    require(process_clock_advance(3600 * second, limit) == 0);
    uint64_t fired = 0;
    require(read(timer, &fired, sizeof fired) == sizeof fired && fired == 1);
    close(timer);
    require(process_clock_now().continuous == 3800 * second);
}

// MARK: Every way to wait

struct waiter {
    int (*wait)(int64_t);
    int64_t duration;
    pthread_t thread;
};

static void *wait_once(void *argument) {
    struct waiter waiter = *(struct waiter *)argument;
    require(waiter.wait(waiter.duration) == 0);
    return NULL;
}

static void every_call(void) {
    enum { most = 64 };
    struct waiter waiters[most];
    int count = 0;
    for (const struct waiting_call *call; (call = waiting_call_at(count)); count++) {
        require(count < most);
        waiters[count] = (struct waiter){.wait = call->wait, .duration = (count + 1) * second};
        require(pthread_create(&waiters[count].thread, NULL, wait_once, &waiters[count]) == 0);
    }
    require(process_clock_settle(limit) == 0);
    // If there is not enough room for all waits, the earliest ones are returned.
    for (size_t capacity = 0; capacity <= most; capacity += capacity < 4 ? 1 : 20) {
        struct process_clock_wait *rows = malloc(capacity * sizeof *rows + (capacity == 0));
        require(process_clock_waits(rows, capacity) == (size_t)count);
        for (size_t i = 1; i < capacity && i < (size_t)count; i++) require(rows[i - 1].left <= rows[i].left);
        free(rows);
    }
    uint64_t before = process_clock_steps();
    require(process_clock_step(INT64_MAX, limit) == 0 && process_clock_steps() == before + 1);
    require(process_clock_advance((count + 1) * second, limit) == 0);
    for (int i = 0; i < count; i++) pthread_join(waiters[i].thread, NULL);
    int64_t left;
    require(!process_clock_until_next(&left) && process_clock_step(INT64_MAX, limit) == EAGAIN);
}

// MARK: Descriptors

struct request {
    int count, result;
    bool selects;
};

// Waits for `count` ends of pipes that never become ready.
static void *wait_for_descriptors(void *argument) {
    struct request *request = argument;
    int ends[2];
    require(pipe2(ends, O_CLOEXEC) == 0);
    if (request->selects) {
        fd_set readable, writable, exceptional;
        FD_ZERO(&readable);
        FD_ZERO(&writable);
        FD_ZERO(&exceptional);
        for (int i = 0; i < request->count; i++) {
            if (dup2(ends[0], FD_SETSIZE - 1 - i) >= 0) FD_SET(FD_SETSIZE - 1 - i, &readable);
        }
        FD_SET(ends[0], &exceptional);
        struct timeval duration = {1, 999999};
        request->result = select(FD_SETSIZE, &readable, &writable, &exceptional, &duration);
        for (int i = 0; i < request->count; i++) close(FD_SETSIZE - 1 - i);
    } else {
        struct pollfd *polled = malloc((size_t)request->count * sizeof *polled);
        for (int i = 0; i < request->count; i++) polled[i] = (struct pollfd){.fd = ends[0], .events = POLLIN};
        request->result = poll(request->count ? polled : NULL, (nfds_t)request->count, 1000);
        free(polled);
    }
    close(ends[0]);
    close(ends[1]);
    return NULL;
}

static void wait_for_many(int count, bool selects) {
    struct request request = {.count = count, .result = -1, .selects = selects};
    pthread_t thread;
    require(pthread_create(&thread, NULL, wait_for_descriptors, &request) == 0);
    require(process_clock_settle(limit) == 0);
    require(process_clock_advance(3 * second, limit) == 0);
    pthread_join(thread, NULL);
    require(request.result == 0);
}

static void many_descriptors(void) {
    // A call keeps up to 32 rows on the stack, so these numbers include those around 32.
    static const int counts[] = {0, 1, 31, 32, 33, 34, 400};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        wait_for_many(counts[i], false);
        wait_for_many(counts[i], true);
    }
    require(select(-1, NULL, NULL, NULL, &(struct timeval){1, 0}) == -1 && errno == EINVAL);
}

// MARK: Timers that are descriptors

static void timer_descriptors(void) {
    // These descriptors have numbers around the highest one for which a timer is kept.
    struct rlimit files, before;
    require(getrlimit(RLIMIT_NOFILE, &before) == 0);
    files = before;
    if (files.rlim_max >= 65540) files.rlim_cur = 65540;
    require(setrlimit(RLIMIT_NOFILE, &files) == 0);
    int timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    struct itimerspec each = {.it_interval = {.tv_nsec = 1}, .it_value = {.tv_sec = 1}}, old;
    require(timerfd_settime(timer, 0, &each, &old) == 0 && timerfd_gettime(timer, &old) == 0);
    process_clock_jump(2 * second, 2 * second, 2 * second);
    // One read returns all missed expirations.
    require(process_clock_step(0, limit) == 0);
    uint64_t fired = 0;
    require(read(timer, &fired, sizeof fired) == sizeof fired && fired == (uint64_t)second + 1);
    // These are the last instants that can be expressed.
    struct itimerspec never = {.it_value = {.tv_sec = INT64_MAX, .tv_nsec = 999999999}};
    require(timerfd_settime(timer, TFD_TIMER_ABSTIME, &never, NULL) == 0);
    require(timerfd_settime(timer, 0, &never, NULL) == 0);
    struct itimerspec set = {.it_value = {.tv_sec = 2000000000}};
    require(timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &set, NULL) == 0);
    struct timespec wall = {.tv_sec = 1900000000};
    require(clock_settime(CLOCK_REALTIME, &wall) == 0);
    require(read(timer, &fired, sizeof fired) == -1 && errno == ECANCELED);
    for (int place = 65533; place < 65540 && (rlim_t)place < files.rlim_cur; place++) {
        require(dup2(timer, place) == place);
        require(timerfd_gettime(place, &old) == 0);
        close(place);
    }
    close(timer);
    require(timerfd_gettime(timer, &old) == -1 && errno == EBADF);
    require(timerfd_gettime(-1, &old) == -1 && read(-1, &fired, sizeof fired) == -1 && close(-1) == -1);
    require(setrlimit(RLIMIT_NOFILE, &before) == 0);
}

// MARK: Threads

static sem_t released;

static void *wait_for_release(void *name) {
    pthread_setname_np(pthread_self(), name);
    sem_wait(&released);
    return NULL;
}

// So many threads need more than one read of the folder in /proc. Some of their names look like the state of a thread.
static void many_threads(void) {
    enum { count = 300 };
    static char names[][16] = {"", ") R 1 1 1", "((((", "a b) S", "fifteen letters", "\n\t) Z"};
    static pthread_t threads[count];
    require(sem_init(&released, 0, 0) == 0);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    for (int i = 0; i < count; i++)
        require(pthread_create(&threads[i], &attributes, wait_for_release, names[i % 6]) == 0);
    require(process_clock_settle(limit) == 0 && process_clock_running_thread() == 0);
    for (int i = 0; i < count; i++) sem_post(&released);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    require(process_clock_settle(limit) == 0 && process_clock_running_for() == 0);
    sem_destroy(&released);
    pthread_attr_destroy(&attributes);
}

static atomic_bool runs;

static void *run(void *nothing) {
    while (atomic_load(&runs)) {}
    return nothing;
}

static void running_thread(void) {
    pthread_t thread;
    atomic_store(&runs, true);
    require(pthread_create(&thread, NULL, run, NULL) == 0);
    require(process_clock_settle(second / 20) == ETIMEDOUT && process_clock_running_thread() != 0);
    atomic_store(&runs, false);
    pthread_join(thread, NULL);
    require(process_clock_settle(limit) == 0);
}

// MARK: Forks, signals and cancelled threads

static void *take_the_lock(void *nothing) {
    while (atomic_load(&runs)) process_clock_jump(0, 0, 0);
    return nothing;
}

static void forks(void) {
    pthread_t thread;
    atomic_store(&runs, true);
    require(pthread_create(&thread, NULL, take_the_lock, NULL) == 0);
    for (int i = 0; i < 100; i++) {
        pid_t child = fork();
        require(child >= 0);
        if (child == 0) {
            // The alarm counts the machine's time. It ends the child if it waits for a thread that exists only in the
            // parent.
            alarm(10);
            process_clock_jump(0, 0, 0);
            _exit(0);
        }
        int status;
        require(waitpid(child, &status, 0) == child && status == 0);
    }
    atomic_store(&runs, false);
    pthread_join(thread, NULL);
}

static atomic_int readings;

static void read_clock(int signal) {
    struct timespec time;
    require(clock_gettime(CLOCK_MONOTONIC, &time) == 0 && signal == SIGUSR1);
    atomic_fetch_add(&readings, 1);
}

static void *interrupt(void *thread) {
    while (atomic_load(&runs)) pthread_kill(*(pthread_t *)thread, SIGUSR1);
    return NULL;
}

// The handler may also run in the middle of a change of the clocks.
static void signal_handlers(void) {
    struct sigaction action = {.sa_handler = read_clock}, before;
    pthread_t self = pthread_self(), thread;
    require(sigaction(SIGUSR1, &action, &before) == 0);
    atomic_store(&runs, true);
    require(pthread_create(&thread, NULL, interrupt, &self) == 0);
    alarm(30);
    while (atomic_load(&readings) < 2000) process_clock_jump(0, 0, 0);
    alarm(0);
    atomic_store(&runs, false);
    pthread_join(thread, NULL);
    require(sigaction(SIGUSR1, &before, NULL) == 0);
}

static void cancelled_threads(void) {
    static const char *const names[] = {"poll", "select", "epoll_wait", "pthread_cond_timedwait"};
    int found = 0;
    for (int i = 0; waiting_call_at(i); i++) {
        for (int name = 0; name < 4; name++) {
            if (strcmp(waiting_call_at(i)->name, names[name]) != 0) continue;
            struct waiter waiter = {.wait = waiting_call_at(i)->wait, .duration = second};
            void *result;
            int64_t left;
            require(pthread_create(&waiter.thread, NULL, wait_once, &waiter) == 0);
            require(process_clock_settle(limit) == 0 && process_clock_until_next(&left));
            require(pthread_cancel(waiter.thread) == 0 && pthread_join(waiter.thread, &result) == 0);
            require(result == PTHREAD_CANCELED && !process_clock_until_next(&left));
            found++;
        }
    }
    require(found == 4);
}

// MARK: The ends of time

static void ends_of_time(void) {
    struct timespec time;
    process_clock_jump(INT64_MAX, INT64_MAX, INT64_MAX);
    require(process_clock_now().uptime == INT64_MAX);
    struct waiter waiter = {.wait = waiting_call_at(0)->wait, .duration = second};
    // A wait that begins at the last instant ends at once, because there is no later instant.
    require(waiter.wait(waiter.duration) == 0);
    require(clock_gettime(CLOCK_REALTIME, &time) == 0 && time.tv_nsec < second);
    process_clock_jump(INT64_MIN, INT64_MIN, INT64_MIN);
    process_clock_jump(INT64_MIN, INT64_MIN, INT64_MIN);
    require(process_clock_now().wall == INT64_MIN);
    require(clock_gettime(CLOCK_REALTIME, &time) == 0 && time.tv_nsec >= 0);
    require(process_clock_begin((struct process_clock_reading){0, 0, 0}) == 0);
    process_clock_sleep_machine(second);
    require(process_clock_now().uptime == 0 && process_clock_now().continuous == second);
}

// MARK: By itself

static void by_itself(void) {
    struct timespec day = {.tv_sec = 86400};
    process_clock_hold();
    require(process_clock_run_by_itself(0) == 0 && process_clock_run_by_itself(0) == 0);
    process_clock_release();
    require(nanosleep(&day, NULL) == 0 && process_clock_now().uptime >= 86400 * second);
    process_clock_hold();
}

const struct check clock_checks[] = {
    {"time becomes virtual", begin},
    {"every way to wait", every_call},
    {"waits for many descriptors", many_descriptors},
    {"timers that are descriptors", timer_descriptors},
    {"many threads", many_threads},
    {"a thread that runs", running_thread},
    {"forks while another thread has the lock", forks},
    {"signal handlers that read the clock", signal_handlers},
    {"threads that are cancelled while they wait", cancelled_threads},
    {"the ends of time", ends_of_time},
    {"time by itself", by_itself},
    {NULL, NULL},
};
