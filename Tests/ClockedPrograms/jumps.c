// Two processes move the clocks at the same time, by sleeps of no length, each of which takes a nanosecond.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { processes = 2, sleeps = 200000 };

static int64_t uptime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(void) {
    int64_t begin = uptime();
    for (int i = 0; i < processes; i++) {
        if (fork() != 0) continue;
        struct timespec none = {0, 0};
        for (int j = 0; j < sleeps; j++) nanosleep(&none, NULL);
        _exit(0);
    }
    for (int i = 0; i < processes; i++) wait(NULL);
    printf("%ld ns of %d\n", (long)(uptime() - begin), processes * sleeps);
    return 0;
}
