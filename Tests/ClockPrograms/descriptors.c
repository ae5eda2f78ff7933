// Programs with timer descriptors that are duplicated, replaced, and closed in each way.
#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int armed_timer(double count) {
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct itimerspec setting = {.it_value = time_of(ticks(count)), .it_interval = time_of(ticks(count))};
    require(timer >= 0 && timerfd_settime(timer, 0, &setting, NULL) == 0);
    return timer;
}

static void by_close(int timer) { require(close(timer) == 0); }
static void by_close_range(int timer) { require(close_range((unsigned)timer, (unsigned)timer, 0) == 0); }
static void by_system_call(int timer) { require(syscall(SYS_close, timer) == 0); }
static void by_closefrom(int timer) {
    require(dup2(timer, 200) == 200 && close(timer) == 0);
    closefrom(200);
}
static void by_fclose(int timer) {
    FILE *file = fdopen(timer, "r");
    require(file != NULL && fclose(file) == 0);
}
static void by_dup2(int timer) {
    int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    require(dup2(other, timer) == timer && close(other) == 0 && close(timer) == 0);
}
static void by_dup3(int timer) {
    int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    require(dup3(other, timer, O_CLOEXEC) == timer && close(other) == 0 && close(timer) == 0);
}

// After a timer was closed, its number may belong to another file. A read of eight bytes from this number must then
// return the bytes of that file.
static void closed_timers(void) {
    static void (*const closings[])(int) = {by_close,  by_close_range, by_system_call, by_closefrom,
                                            by_fclose, by_dup2,        by_dup3};
    for (size_t i = 0; i < sizeof closings / sizeof *closings; i++) {
        int timer = armed_timer(1);
        sleep_for(ticks(2));
        closings[i](timer);
        int ends[2];
        char bytes[9] = "eight by";
        require(pipe2(ends, O_CLOEXEC) == 0 && write(ends[1], bytes, 8) == 8);
        sleep_for(ticks(2));
        if (ends[0] != timer) require(dup2(ends[0], timer) == timer);
        memset(bytes, 0, 8);
        require(read(timer, bytes, 8) == 8 && memcmp(bytes, "eight by", 8) == 0);
        close(ends[0]);
        close(ends[1]);
        close(timer);
    }
}

static void replaced_timer(void) {
    int timer = armed_timer(1), other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    require(dup2(other, timer) == timer);
    sleep_for(ticks(3));
    struct itimerspec setting;
    require(timerfd_gettime(timer, &setting) == -1 && errno == EINVAL);
    close(timer);
    close(other);
}

static int with_dup(int timer) { return dup(timer); }
static int with_fcntl(int timer) { return fcntl(timer, F_DUPFD_CLOEXEC, 100); }
static int with_dup2(int timer) { return dup2(timer, 150); }
static int with_dup3(int timer) { return dup3(timer, 151, O_CLOEXEC); }
static int with_system_call(int timer) { return (int)syscall(SYS_dup, timer); }

// All duplicates of a descriptor refer to the same timer, even after the first one was closed.
static void duplicated_timers(void) {
    static int (*const duplicate[])(int) = {with_dup, with_fcntl, with_dup2, with_dup3, with_system_call};
    for (size_t i = 0; i < sizeof duplicate / sizeof *duplicate; i++) {
        for (int is_closed = 0; is_closed < 2; is_closed++) {
            int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), other = duplicate[i](timer);
            struct itimerspec setting = {.it_value = time_of(ticks(2))}, left;
            require(other >= 0 && timerfd_settime(other, 0, &setting, NULL) == 0);
            require(timerfd_gettime(timer, &left) == 0 && (left.it_value.tv_sec > 0 || left.it_value.tv_nsec > 0));
            if (is_closed) require(close(timer) == 0);
            int64_t before = reading(CLOCK_MONOTONIC);
            uint64_t fired = 0;
            require(read(is_closed ? other : timer, &fired, 8) == 8 && fired == 1);
            require(!time_is_virtual() || reading(CLOCK_MONOTONIC) - before == ticks(2));
            require(close(other) == 0 && (is_closed || close(timer) == 0));
        }
    }
}

// A program that becomes a daemon closes everything.
static void all_descriptors_closed(void) {
    sleep_for(ticks(1));
    closefrom(3);
    sleep_for(ticks(1));
    for (int descriptor = 3; descriptor < 1024; descriptor++) close(descriptor);
    int ends[2];
    require(pipe2(ends, O_CLOEXEC) == 0);
    for (int i = 0; i < 20; i++) sleep_for(ticks(1));
    struct timespec deadline = time_after(CLOCK_MONOTONIC, ticks(1));
    require(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == 0);
}

const struct program descriptor_programs[] = {
    {"a closed timer leaves nothing to its number", closed_timers, false},
    {"a timer is replaced by another file", replaced_timer, false},
    {"a duplicated timer is one timer", duplicated_timers, false},
    {"all descriptors are closed", all_descriptors_closed, false},
    {NULL, NULL, false},
};
