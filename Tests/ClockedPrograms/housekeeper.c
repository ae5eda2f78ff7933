// A thread like one of the Java virtual machine, which naps for 10 µs at a time until the other threads have stopped.
// No program sees these naps, so they take no virtual time.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void *nap(void *nothing) {
    pthread_setname_np(pthread_self(), "VM Thread");
    struct timespec moment = {.tv_nsec = 10000};
    for (int i = 0; i < 100; i++) nanosleep(&moment, NULL);
    return nothing;
}

int main(void) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pthread_t thread;
    pthread_create(&thread, NULL, nap, NULL);
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%ld ns\n", (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec);
    return 0;
}
