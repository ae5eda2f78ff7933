#define _GNU_SOURCE
#include "program.h"

#include "CProcessClock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct program *const lists[] = {signal_programs,    fork_programs,   cancellation_programs,
                                              condition_programs, descriptor_programs, kernel_programs,
                                              thread_programs};
enum { list_count = sizeof lists / sizeof *lists };

bool time_is_virtual(void) { return process_clock_is_virtual(); }

int64_t ticks(double count) { return (int64_t)(count * (time_is_virtual() ? 3600e9 : 20e6)); }

struct timespec time_of(int64_t nanoseconds) {
    return (struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000};
}

int64_t reading(clockid_t clock) {
    struct timespec now;
    require(clock_gettime(clock, &now) == 0);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

struct timespec time_after(clockid_t clock, int64_t nanoseconds) { return time_of(reading(clock) + nanoseconds); }

void sleep_for(int64_t nanoseconds) {
    struct timespec left = time_of(nanoseconds);
    while (nanosleep(&left, &left) != 0) require(errno == EINTR);
}

pthread_t start(void *(*run)(void *), void *argument) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, run, argument) == 0);
    return thread;
}

void join(pthread_t thread) { require(pthread_join(thread, NULL) == 0); }

static void end_child(int signal) {
    (void)signal;
    _exit(1);
}

void end_child_in_time(void) {
    signal(SIGALRM, end_child);
    alarm(20);
}

void expect_success(int child) {
    int status;
    require(child > 0);
    while (waitpid(child, &status, 0) != child) require(errno == EINTR);
    require(status == 0);
}

int open_descriptors(void) {
    int count = 0;
    for (int descriptor = 0; descriptor < 1024; descriptor++) {
        struct pollfd polled = {.fd = descriptor};
        if (poll(&polled, 1, 0) == 0 || !(polled.revents & POLLNVAL)) count++;
    }
    return count;
}

static void make_virtual(void) {
    struct process_clock_reading now = {3600000000000, 3600000000000, 1767225600000000000};
    require(process_clock_begin(now) == 0);
}

// Without arguments, clock-programs prints the names of the programs, with the modes of each. `MODE NAME` runs one of
// them, `table MODE` prints the table, and `wait CALL` waits for ever in virtual time.
int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "table") == 0) {
        if (strcmp(arguments[2], "virtual") == 0) make_virtual();
        print_table();
        return 0;
    }
    if (count == 3 && strcmp(arguments[1], "wait") == 0) {
        make_virtual();
        return wait_for_ever(arguments[2]);
    }
    for (int list = 0; list < list_count; list++) {
        for (const struct program *program = lists[list]; program->name; program++) {
            if (count < 3) {
                if (!program->is_only_virtual) printf("real\t%s\n", program->name);
                printf("virtual\t%s\n", program->name);
            } else if (strcmp(arguments[2], program->name) == 0) {
                if (strcmp(arguments[1], "virtual") == 0) {
                    make_virtual();
                    require(process_clock_run_by_itself(0) == 0);
                }
                program->run();
                return 0;
            }
        }
    }
    return count < 3 ? 0 : 2;
}
