// A cancelled thread forks; fork is no cancellation point. The child has a timer of its parent, and sleeps an hour.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *fork_when_cancelled(void *begin) {
    pthread_cancel(pthread_self());
    if (fork() == 0) {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        sleep(3600);
        printf("the child: %ld s\n", (long)(time(NULL) - *(time_t *)begin));
        fflush(stdout);
        _exit(0);
    }
    return NULL;
}

int main(void) {
    struct itimerspec day = {.it_value = {.tv_sec = 86400}};
    time_t begin = time(NULL);
    pthread_t thread;
    if (timerfd_settime(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), 0, &day, NULL) != 0) return 1;
    if (pthread_create(&thread, NULL, fork_when_cancelled, &begin) != 0 || pthread_join(thread, NULL) != 0) return 1;
    int status;
    wait(&status);
    return status != 0;
}
