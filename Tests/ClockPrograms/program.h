// Small programs that Scripts/c-checks runs in the machine's time and in virtual time. What a program requires holds in
// both. It is killed after a minute of the machine's time.
#ifndef PROGRAM_H
#define PROGRAM_H

#include "../CChecks/checks.h"

#include <pthread.h>
#include <time.h>

struct program {
    const char *name;
    void (*run)(void);
    // It moves the clock itself.
    bool is_only_virtual;
};

// Each ends with a row without a name.
extern const struct program signal_programs[], fork_programs[], cancellation_programs[], condition_programs[],
    descriptor_programs[], kernel_programs[], thread_programs[];

// Of the table of ways to wait.
void print_table(void);
int wait_for_ever(const char *name);

bool time_is_virtual(void);
// 20 ms in the machine's time, an hour in virtual time.
int64_t ticks(double count);
struct timespec time_of(int64_t nanoseconds);
struct timespec time_after(clockid_t clock, int64_t nanoseconds);
int64_t reading(clockid_t clock);
void sleep_for(int64_t nanoseconds);
pthread_t start(void *(*run)(void *), void *argument);
void join(pthread_t thread);
// Ends the child with 1 if it hangs, in the machine's time. In a child only async-signal-safe functions are called.
void end_child_in_time(void);
// Waits for the child, which has to exit with 0.
void expect_success(int child);

#endif
