#ifndef C_PROCESS_CLOCK_H
#define C_PROCESS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app_launcher.h"
#include "app_output.h"
#include "file_protection.h"
#include "test_process.h"

// Gives a test control of the clocks of the process, and of every call that waits for time.
//
// On Linux, a program that has this module linked in defines `clock_gettime`, `nanosleep`, `epoll_wait`,
// `timerfd_settime` and the like itself. The dynamic linker prefers these definitions to libc's, also for Foundation,
// Dispatch and the concurrency runtime. They call libc's functions until `process_clock_begin` makes time virtual. From
// then on the three clocks stand still until they are moved, and a wait for an instant ends when a step has reached
// that instant.
//
// Durations and instants are nanoseconds. Functions that return an `int` return 0 or a number of `errno.h`.

// The clocks of a process: the time since boot without the machine's sleep, the time since boot with it, and the time
// since 1970.
enum process_clock_id {
    process_clock_uptime = 0,
    process_clock_continuous = 1,
    process_clock_wall = 2,
};

struct process_clock_reading {
    int64_t uptime, continuous, wall;
};

// A wait that a step can end.
struct process_clock_wait {
    // The function that waits: "nanosleep", "timerfd", …
    const char *call;
    // The thread that called it, or 0 for a timer's descriptor.
    int32_t thread;
    // The clock of the deadline, and the time until the deadline, which is negative when it is overdue.
    int32_t clock;
    int64_t left;
};

// Returns whether time can be virtual in this program: on Linux with glibc, on a kernel that counts how threads run,
// and without a sanitizer that defines these functions.
bool process_clock_is_available(void);

// Makes time virtual, and sets the clocks to these instants; ENOTSUP if time cannot be virtual. A second call only
// moves the clocks to its instants, and fires nothing.
int process_clock_begin(struct process_clock_reading now);
bool process_clock_is_virtual(void);
struct process_clock_reading process_clock_now(void);

// Moves the clocks without firing anything. The next steps fire what has become overdue.
void process_clock_jump(int64_t uptime, int64_t continuous, int64_t wall);
// Sets the wall clock. Deadlines on it keep their dates, and timer descriptors with `TFD_TIMER_CANCEL_ON_SET` report
// the change.
void process_clock_set_wall(int64_t wall);

// Waits until no other thread of the process can run; ETIMEDOUT if one still runs after `limit` of real time.
int process_clock_settle(int64_t limit);
// Finds the time until the earliest deadline; 0 if it has passed. Returns false if there is none.
bool process_clock_until_next(int64_t *left);
// Settles, then advances to the earliest deadline if it is within the next `within` nanoseconds, fires it, and settles
// again. Returns EAGAIN if there is none; ETIMEDOUT if a thread still runs after `limit` of real time.
int process_clock_step(int64_t within, int64_t limit);
// Fires the earliest wait that is due now, without settling; EAGAIN if there is none. If an examination of Dispatch's
// workers is due first, the function makes it instead, and then settles for at most `limit`.
int process_clock_fire(int64_t limit);
// Steps until `duration` has passed. After ETIMEDOUT, the clocks stay where they are.
int process_clock_advance(int64_t duration, int64_t limit);
// Moves the clocks as a sleep of the machine does: the uptime stands still, and the other clocks advance. Nothing runs,
// and nothing is fired.
void process_clock_sleep_machine(int64_t duration);

// Starts a thread that steps to the next deadline whenever nothing in the process can run. `pace` is the number of real
// nanoseconds for a second of virtual time; 0 for no pace.
int process_clock_run_by_itself(int64_t pace);
// Keeps that thread from stepping until process_clock_release has been called as often as process_clock_hold.
void process_clock_hold(void);
void process_clock_release(void);
// Notes that something other than a deadline wakes the process at this instant, so that timers of run loops whose date
// has come do not wait for the end of their tolerance.
void process_clock_wake(void);
// Returns the number of deadlines that have been fired.
uint64_t process_clock_steps(void);

// Returns the offset of a function from the program's base address, for `app_launcher_fork`; 0 if the function is not
// in the program's own file.
uint64_t process_clock_offset(void (*program)(void));

// Makes the mode of that name one of the common modes of Foundation's main run loop. Returns false without Foundation.
bool main_run_loop_add_common_mode(const char *name);

// Lets Foundation's timers keep their tolerance and use it. The process is woken for a timer only when a tolerance
// ends. Whenever the process is awake, every timer whose date has come fires. Also lets
// `Timer(timeInterval:repeats:block:)` fire for the first time after the interval, and not at once. Time has to be
// virtual. Returns false if Foundation does not have the functions that this needs.
//
// In optimized code the call of `Timer(timeInterval:repeats:block:)` is replaced by its body in Foundation, which has the
// timer fire at once. `fires_at_once` is called for the first timer that such code makes with the present date.
bool run_loop_timers_begin(void (*fires_at_once)(void));

// Writes the waits that have a deadline, earliest first, up to `capacity` of them. Returns how many there are in total.
size_t process_clock_waits(struct process_clock_wait *waits, size_t capacity);
// The first function returns a thread that could run at the last examination, or 0. The second returns for how long, in
// the machine's time, the process has not come to rest.
int32_t process_clock_running_thread(void);
int64_t process_clock_running_for(void);
// Returns the number of bytes for which the last step did not wait, because TCP sockets of the process have kept them
// back for more than a second of the machine's time.
uint64_t process_clock_bytes_kept_back(void);
// Returns whether the clock lacked a descriptor when it last needed one, to examine a thread or the data in the kernel.
// As long as it lacks one, the process is not found at rest.
bool process_clock_lacks_descriptors(void);
// Reads the machine's monotonic clock, whatever the process's clocks show.
int64_t process_clock_machine_time(void);
// Sleeps in the machine's time, whatever the process's clocks show.
void process_clock_machine_sleep(int64_t duration);

#endif
