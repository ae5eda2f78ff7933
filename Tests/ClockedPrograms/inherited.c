// Uses a timer that the process has not made: in a child, through a second descriptor there, and after `execve`. Each
// wait takes an hour. The timer is lost if the process that set it has ended, or now runs another program.
#define _GNU_SOURCE
#include <poll.h>
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

// Waits a day for the timer, and prints whether it was lost: it has not fired, and is shown as not set.
static void show_loss(const char *name, int timer) {
    struct itimerspec left;
    struct pollfd polled = {.fd = timer, .events = POLLIN};
    int fired = poll(&polled, 1, 86400000);
    timerfd_gettime(timer, &left);
    printf("%s: %s\n", name, fired || left.it_value.tv_sec || left.it_value.tv_nsec ? "kept" : "lost");
    fflush(stdout);
}

// Forks a child that sets the timer, and ends.
static void set_in_child(int timer) {
    int status;
    if (fork() == 0) {
        set(timer);
        _exit(0);
    }
    wait(&status);
}

int main(int count, char **arguments) {
    if (count == 2) {
        int timer = atoi(arguments[1]);
        show_loss("before execve", timer);
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
        set(other);
        char number[16];
        snprintf(number, sizeof number, "%d", other);
        execl(arguments[0], arguments[0], number, NULL);
        _exit(1);
    }
    int status;
    wait(&status);
    set_in_child(timer);
    show_loss("by a child that has ended", timer);
    return status != 0;
}
