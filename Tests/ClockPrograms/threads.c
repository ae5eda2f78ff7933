// Threads that end, or never rest, and machines that do not count.
#define _GNU_SOURCE
#include "program.h"

#include "CProcessClock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static void *end_program(void *nothing) {
    for (int i = 0; i < 10; i++) sleep_for(ticks(1));
    exit(0);
    return nothing;
}

static void main_thread_ends(void) {
    start(end_program, NULL);
    pthread_exit(NULL);
}

static atomic_bool runs;

static void *spin(void *nothing) {
    while (atomic_load(&runs)) {}
    return nothing;
}

static void *advance(void *result) {
    process_clock_hold();
    *(int *)result = process_clock_advance(1000000000, 50000000);
    process_clock_release();
    return NULL;
}

// While time advances by itself, and another thread waits too.
static void a_limit(void) {
    atomic_store(&runs, true);
    pthread_t spinner = start(spin, NULL), other;
    int results[2] = {0, 0};
    process_clock_machine_sleep(10000000);
    other = start(advance, &results[0]);
    advance(&results[1]);
    join(other);
    require(results[0] == ETIMEDOUT && results[1] == ETIMEDOUT);
    atomic_store(&runs, false);
    join(spinner);
}

static void write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | (access(path, F_OK) == 0 ? 0 : O_CREAT) | O_CLOEXEC, 0644);
    require(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
}

static int begin_with(bool has_counts) {
    end_child_in_time();
    if (unshare(CLONE_NEWNS) != 0) {
        char map[64];
        unsigned user = geteuid(), group = getegid();
        require(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0);
        snprintf(map, sizeof map, "0 %u 1", user);
        write_file("/proc/self/uid_map", map);
        write_file("/proc/self/setgroups", "deny");
        snprintf(map, sizeof map, "0 %u 1", group);
        write_file("/proc/self/gid_map", map);
    }
    require(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    require(mount("none", "/proc", "tmpfs", 0, NULL) == 0);
    if (has_counts) {
        require(mkdir("/proc/thread-self", 0755) == 0);
        write_file("/proc/thread-self/schedstat", "0 0 0\n");
    }
    require(!process_clock_is_available());
    return process_clock_begin((struct process_clock_reading){0, 0, 0});
}

// Where the kernel does not count how often a thread has run, or always says the same, rest is not to be seen.
static void machines_that_do_not_count(void) {
    for (int has_counts = 0; has_counts < 2; has_counts++) {
        pid_t child = fork();
        if (child == 0) _exit(begin_with(has_counts) == ENOTSUP && !process_clock_is_virtual() ? 0 : 1);
        expect_success(child);
    }
}

// As Ruby has it: until the clock has passed the deadline, which it has only reached when the wait ends.
static void waits_until_the_deadline_has_passed(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    int64_t end = reading(CLOCK_MONOTONIC) + ticks(1);
    for (int64_t left; (left = end - reading(CLOCK_MONOTONIC)) >= 0;) {
        struct timespec timeout = time_of(left);
        require(ppoll(NULL, 0, &timeout, NULL) == 0);
    }
    end += ticks(1);
    require(pthread_mutex_lock(&mutex) == 0);
    while (reading(CLOCK_MONOTONIC) <= end) {
        struct timespec deadline = time_of(end);
        require(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    }
    require(pthread_mutex_unlock(&mutex) == 0);
    if (time_is_virtual()) require(reading(CLOCK_MONOTONIC) == end + 1);
}

const struct program thread_programs[] = {
    {"the main thread ends before the others", main_thread_ends, false},
    {"a limit holds while time advances by itself", a_limit, true},
    {"a machine that does not count how threads run", machines_that_do_not_count, true},
    {"a wait is repeated until the clock has passed the deadline", waits_until_the_deadline_has_passed, false},
    {NULL, NULL, false},
};
