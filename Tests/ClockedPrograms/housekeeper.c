// A thread as a Java virtual machine has it: it naps until the others have stopped for it, which no program sees.
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
