// Waits that other processes end, by calls that the waiting process does not see.
// Usage: releases chain | receive NAME | send NAME
//
// chain: at 1 s a process unlocks a mutex, another gets it and sends a message, and a third receives that.
// receive: waits an hour for a message. send: sends it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct timespec in_an_hour(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += 3600;
    return time;
}

static mqd_t open_queue(const char *name) {
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
    return mq_open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600, &attributes);
}

static int receive(mqd_t queue) {
    struct timespec begin, now, end = in_an_hour();
    char byte;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (mq_timedreceive(queue, &byte, 1, NULL, &end) != 1) {
        perror("mq_timedreceive");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("received after %ld s\n", (long)(now.tv_sec - begin.tv_sec));
    fflush(stdout);
    return 0;
}

// Computes for 20 ms, in which all waits whose release is not seen have tried again.
static void run_for_a_while(void) {
    struct timespec used;
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    while (used.tv_sec == 0 && used.tv_nsec < 20000000);
}

static int chain(void) {
    char name[64];
    snprintf(name, sizeof name, "/apus-releases-%d", getpid());
    mqd_t queue = open_queue(name);
    mq_unlink(name);
    pthread_mutex_t *mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutex_lock(mutex);
    pid_t receiver = fork();
    if (receiver == 0) _exit(receive(queue));
    if (fork() == 0) {
        struct timespec end = in_an_hour();
        if (pthread_mutex_timedlock(mutex, &end) != 0) _exit(1);
        run_for_a_while();
        mq_send(queue, "!", 1, 0);
        sleep(20);
        _exit(0);
    }
    sleep(1);
    pthread_mutex_unlock(mutex);
    sleep(10);
    int status;
    waitpid(receiver, &status, 0);
    return status != 0;
}

int main(int count, char **arguments) {
    if (strcmp(arguments[1], "chain") == 0) return chain();
    mqd_t queue = open_queue(arguments[count - 1]);
    if (strcmp(arguments[1], "receive") == 0) return receive(queue);
    mq_unlink(arguments[2]);
    return mq_send(queue, "!", 1, 0);
}
