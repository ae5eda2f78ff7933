// libc's own functions, numbers, and the machine's time.
//
// The pointers are written once, before `main` or at the first call; there is no lock. Everything here may be called
// with the clock's lock held, in a signal handler and after a fork.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <dlfcn.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

static struct libc_functions functions;
static atomic_bool functions_are_found;

static void *find(const char *name) {
#if defined(__x86_64__)
    // dlsym would give the condition variables of before 2003, which have another layout.
    if (strncmp(name, "pthread_cond_", 13) == 0) {
        void *current = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
        if (current) return current;
    }
#endif
    return dlsym(RTLD_NEXT, name);
}

// Two threads that find them at once write the same values.
__attribute__((constructor(101))) static void find_functions(void) {
#define CLOCK_FIND(result, name, parameters) *(void **)&functions.name = find(#name);
    CLOCK_FUNCTIONS(CLOCK_FIND)
#undef CLOCK_FIND
    atomic_store_explicit(&functions_are_found, true, memory_order_release);
}

const struct libc_functions *libc(void) {
    if (!atomic_load_explicit(&functions_are_found, memory_order_acquire)) find_functions();
    return &functions;
}

long futex(void *word, int operation, uint32_t value, const struct timespec *timeout) {
    return libc()->syscall(SYS_futex, word, operation, value, timeout, NULL, FUTEX_BITSET_MATCH_ANY);
}

int64_t saturating_sum(int64_t one, int64_t other) {
    int64_t sum;
    if (!__builtin_add_overflow(one, other, &sum)) return sum;
    return one > 0 ? INT64_MAX : INT64_MIN;
}

int64_t nanoseconds(const struct timespec *time) {
    int64_t seconds;
    if (__builtin_mul_overflow((int64_t)time->tv_sec, SECOND, &seconds))
        return time->tv_sec > 0 ? INT64_MAX : INT64_MIN;
    return saturating_sum(seconds, time->tv_nsec);
}

struct timespec timespec_of(int64_t nanoseconds) {
    int64_t seconds = nanoseconds / SECOND, rest = nanoseconds % SECOND;
    if (rest < 0) rest += SECOND, seconds -= 1;
    return (struct timespec){.tv_sec = seconds, .tv_nsec = rest};
}

int64_t process_clock_machine_time(void) {
    struct timespec time;
    libc()->clock_gettime(CLOCK_MONOTONIC, &time);
    return nanoseconds(&time);
}

void process_clock_machine_sleep(int64_t duration) {
    struct timespec time = timespec_of(duration);
    libc()->clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

#endif
