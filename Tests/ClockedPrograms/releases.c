// Waits that are ended by calls of other processes, which the waiting process does not see. Usage: releases chain |
// receive NAME | send NAME | busy NAME FILE | answer NAME | ask NAME CLOCK COUNT
//
// chain: at 1 s a process unlocks a mutex, a second process gets it and sends a message, and a third receives the
// message.
// receive: waits up to an hour for a message.
// send: sends that message.
// busy: like receive. Meanwhile, another thread of the process spins until FILE exists, and then sleeps for one second
// again and again.
// answer: answers each message with the instant of its arrival. Meanwhile, another thread of the process sleeps for one
// second again and again.
// ask: runs outside the tree. It sends COUNT messages, and compares each answer with the readings in the file CLOCK.
#define _GNU_SOURCE
#include "../../Sources/ApusClock/shared_clock.h"

#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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

// Computes for 20 ms, which is long enough for all waits whose release is not seen to try again.
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

static void *sleep_from_second_to_second(void *file) {
    while (file && access(file, F_OK) != 0) {}
    while (1) sleep(1);
    return NULL;
}

static void start_sleeping(void *file) {
    puts("begins");
    fflush(stdout);
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_from_second_to_second, file);
}

// Returns the name of the queue for the answers.
static const char *name_of_answers(const char *name) {
    static char answers[64];
    snprintf(answers, sizeof answers, "%s-answers", name);
    return answers;
}

static mqd_t open_answers(const char *name) {
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof(int64_t)};
    return mq_open(name_of_answers(name), O_RDWR | O_CREAT | O_CLOEXEC, 0600, &attributes);
}

static int answer(const char *name) {
    mqd_t queue = open_queue(name), answers = open_answers(name);
    char byte = 0;
    start_sleeping(NULL);
    do {
        struct timespec now, end = in_an_hour();
        // If no message comes within an hour, that hour passes second by second, because the other thread sleeps from
        // second to second.
        if (mq_timedreceive(queue, &byte, 1, NULL, &end) != 1) continue;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t instant = now.tv_sec * SECOND + now.tv_nsec;
        mq_send(answers, (const char *)&instant, sizeof instant, 0);
    } while (byte != '.');
    return 0;
}

static int ask(const char *name, const char *clock, int count) {
    mqd_t queue = open_queue(name), answers = open_answers(name);
    struct shared_clock *shared = mmap(NULL, sizeof *shared, PROT_READ, MAP_SHARED, open(clock, O_RDONLY), 0);
    int64_t instant, latest = 0;
    for (int i = 0; i < count; i++) {
        int64_t before = shared->readings[process_clock_uptime];
        mq_send(queue, i + 1 < count ? "!" : ".", 1, 0);
        int64_t after = shared->readings[process_clock_uptime];
        if (mq_receive(answers, (char *)&instant, sizeof instant, NULL) != sizeof instant) return 1;
        if (instant < before) printf("message %d: received %.9f s before it was sent\n", i, (before - instant) / 1e9);
        if (instant - after > latest) latest = instant - after;
    }
    printf("the latest of %d messages: %.9f s\n", count, latest / 1e9);
    return mq_unlink(name) != 0 || mq_unlink(name_of_answers(name)) != 0;
}

int main(int count, char **arguments) {
    if (strcmp(arguments[1], "chain") == 0) return chain();
    if (count == 5) return ask(arguments[2], arguments[3], atoi(arguments[4]));
    if (strcmp(arguments[1], "answer") == 0) return answer(arguments[2]);
    mqd_t queue = open_queue(arguments[2]);
    if (strcmp(arguments[1], "busy") == 0) start_sleeping(arguments[3]);
    if (strcmp(arguments[1], "send") != 0) return receive(queue);
    mq_unlink(arguments[2]);
    return mq_send(queue, "!", 1, 0);
}
