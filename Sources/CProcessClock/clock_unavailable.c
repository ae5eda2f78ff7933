// For programs whose time stays real: every function that would make it virtual fails, and the others are never called.
#include "clock_internal.h"

#ifdef CLOCK_IS_UNAVAILABLE
#include <errno.h>
#include <time.h>

bool process_clock_is_available(void) { return false; }
bool process_clock_is_virtual(void) { return false; }
int process_clock_begin(struct process_clock_reading now) { return ENOTSUP; }
struct process_clock_reading process_clock_now(void) { return (struct process_clock_reading){0, 0, 0}; }
void process_clock_jump(int64_t uptime, int64_t continuous, int64_t wall) {}
void process_clock_set_wall(int64_t wall) {}
int process_clock_settle(int64_t limit) { return ENOTSUP; }
bool process_clock_until_next(int64_t *left) { return false; }
int process_clock_step(int64_t within, int64_t limit) { return ENOTSUP; }
int process_clock_fire(int64_t limit) { return ENOTSUP; }
int process_clock_advance(int64_t duration, int64_t limit) { return ENOTSUP; }
void process_clock_sleep_machine(int64_t duration) {}
int process_clock_run_by_itself(int64_t pace) { return ENOTSUP; }
void process_clock_hold(void) {}
void process_clock_release(void) {}
void process_clock_wake(void) {}
uint64_t process_clock_steps(void) { return 0; }
size_t process_clock_waits(struct process_clock_wait *waits, size_t capacity) { return 0; }
bool run_loop_timers_begin(void (*fires_at_once)(void)) { return false; }
uint64_t process_clock_offset(void (*program)(void)) { return 0; }
int32_t process_clock_running_thread(void) { return 0; }
bool process_clock_lacks_descriptors(void) { return false; }
uint64_t process_clock_bytes_kept_back(void) { return 0; }
int64_t process_clock_running_for(void) { return 0; }

int64_t process_clock_machine_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void process_clock_machine_sleep(int64_t duration) {
    struct timespec time = {.tv_sec = duration / 1000000000, .tv_nsec = duration % 1000000000};
    nanosleep(&time, NULL);
}

#endif
