// Timers that a program has not made itself: a child waits for its parent's timer under two numbers, and the program
// after `execve` waits for it too. Each wait takes an hour.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t uptime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

static void set(int timer) {
    struct itimerspec hour = {.it_value = {.tv_sec = 3600}};
    timerfd_settime(timer, 0, &hour, NULL);
}

static void await(const char *name, int timer) {
    int64_t begin = uptime();
    uint64_t fired = 0;
    ssize_t length = read(timer, &fired, sizeof fired);
    printf("%s: %.9f s, %d\n", name, (double)(uptime() - begin) / 1e9, length == 8 ? (int)fired : -1);
    fflush(stdout);
}

int main(int count, char **arguments) {
    if (count == 2) {
        int timer = atoi(arguments[1]);
        set(timer);
        await("after execve", timer);
        return 0;
    }
    int timer = timerfd_create(CLOCK_BOOTTIME, 0), other = dup(timer);
    set(timer);
    if (fork() == 0) {
        await("set by the parent", timer);
        set(timer);
        await("set by the child", other);
        // The timer in the kernel is disarmed by now, and this setting is never read.
        set(other);
        char number[16];
        snprintf(number, sizeof number, "%d", other);
        execl(arguments[0], arguments[0], number, NULL);
        _exit(1);
    }
    int status;
    wait(&status);
    return status != 0;
}
