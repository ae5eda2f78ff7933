// Small programs that Scripts/c-checks runs in the machine's time and in virtual time. Their requirements must hold in
// both. A program is killed after a minute of the machine's time.
#ifndef PROGRAM_H
#define PROGRAM_H

#include "../CChecks/checks.h"

#include <pthread.h>
#include <time.h>

struct program {
    const char *name;
    void (*run)(void);
    // Whether the program moves the clock itself, so that it runs only in virtual time.
    bool is_only_virtual;
};

// Each array ends with a row without a name.
extern const struct program signal_programs[], fork_programs[], cancellation_programs[], condition_programs[],
    descriptor_programs[], kernel_programs[], thread_programs[];

// `print_table` prints the table of the ways to wait. `wait_for_ever` waits in the way with this name until the process
// is killed; it returns 1 if it cannot.
void print_table(void);
int wait_for_ever(const char *name);

bool time_is_virtual(void);
// Returns nanoseconds: a tick is 20 ms in the machine's time, and an hour in virtual time.
int64_t ticks(double count);
struct timespec time_of(int64_t nanoseconds);
struct timespec time_after(clockid_t clock, int64_t nanoseconds);
int64_t reading(clockid_t clock);
void sleep_for(int64_t nanoseconds);
pthread_t start(void *(*run)(void *), void *argument);
void join(pthread_t thread);
// Ends the child with the status 1 after 20 s of the machine's time, in case it hangs. A child may call only
// async-signal-safe functions.
void end_child_in_time(void);
// Waits for the child, which must exit with 0.
void expect_success(int child);

#endif
