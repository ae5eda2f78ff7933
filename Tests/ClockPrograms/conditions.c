// Programs with conditions. They check what a wait until an instant returns when the condition is signalled.
#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t is_waiting;
static atomic_int woken, timed_out;
static int signals;

static void *wait_until(void *duration) {
    struct timespec deadline = time_after(CLOCK_REALTIME, *(int64_t *)duration);
    pthread_mutex_lock(&mutex);
    sem_post(&is_waiting);
    int error = pthread_cond_timedwait(&condition, &mutex, &deadline);
    pthread_mutex_unlock(&mutex);
    require(error == 0 || error == ETIMEDOUT);
    atomic_fetch_add(error == 0 ? &woken : &timed_out, 1);
    return NULL;
}

// A thread is signalled before its deadline, but gets the mutex only after the deadline.
static void a_signal_before_the_deadline(void) {
    require(sem_init(&is_waiting, 0, 0) == 0);
    for (int is_broadcast = 0; is_broadcast < 2; is_broadcast++) {
        // In the machine's time, the deadline is so late that even a busy machine signals before it.
        int64_t duration = time_is_virtual() ? ticks(2) : 1000000000;
        pthread_t thread = start(wait_until, &duration);
        require(sem_wait(&is_waiting) == 0);
        pthread_mutex_lock(&mutex);
        require((is_broadcast ? pthread_cond_broadcast(&condition) : pthread_cond_signal(&condition)) == 0);
        sleep_for(2 * duration);
        pthread_mutex_unlock(&mutex);
        join(thread);
        require(atomic_load(&woken) == is_broadcast + 1 && atomic_load(&timed_out) == 0);
    }
}

static void *wait_for_signal(void *is_timed) {
    struct timespec deadline = time_after(CLOCK_REALTIME, 1000000000000000);
    pthread_mutex_lock(&mutex);
    sem_post(&is_waiting);
    while (signals == 0) {
        int error = is_timed ? pthread_cond_timedwait(&condition, &mutex, &deadline)
                             : pthread_cond_wait(&condition, &mutex);
        require(error == 0);
    }
    signals--;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

// If there are as many signals as threads, all threads wake, whether they wait until an instant or without a limit.
static void timed_and_other_waits(void) {
    enum { count = 8 };
    pthread_t threads[count];
    require(sem_init(&is_waiting, 0, 0) == 0);
    for (int is_broadcast = 0; is_broadcast < 2; is_broadcast++) {
        for (intptr_t i = 0; i < count; i++) threads[i] = start(wait_for_signal, (void *)(i % 2));
        for (int i = 0; i < count; i++) require(sem_wait(&is_waiting) == 0);
        for (int i = 0; i < count; i++) {
            pthread_mutex_lock(&mutex);
            signals++;
            pthread_mutex_unlock(&mutex);
            if (!is_broadcast) pthread_cond_signal(&condition);
            else if (i == count - 1) pthread_cond_broadcast(&condition);
        }
        for (int i = 0; i < count; i++) join(threads[i]);
    }
}

static void unlock(void *nothing) {
    (void)nothing;
    pthread_mutex_unlock(&mutex);
}

static void *wait_with_the_mutex(void *nothing) {
    struct timespec deadline = time_after(CLOCK_REALTIME, 1000000000000000);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    sem_post(&is_waiting);
    require(pthread_cond_timedwait(&condition, &mutex, &deadline) == 0);
    pthread_cleanup_pop(1);
    return nothing;
}

// A thread is cancelled at the moment at which it is signalled. Either it returns from its wait as signalled, or it is
// cancelled and leaves the signal to another thread.
static void a_cancelled_thread_takes_no_signal(void) {
    require(sem_init(&is_waiting, 0, 0) == 0);
    for (int round = 0; round < 50; round++) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) threads[i] = start(wait_with_the_mutex, NULL);
        for (int i = 0; i < 2; i++) require(sem_wait(&is_waiting) == 0);
        pthread_mutex_lock(&mutex);
        pthread_cond_signal(&condition);
        pthread_cancel(threads[0]);
        pthread_mutex_unlock(&mutex);
        void *result;
        require(pthread_join(threads[0], &result) == 0);
        if (result != PTHREAD_CANCELED) pthread_cond_signal(&condition);
        join(threads[1]);
    }
}

static int wait_on(pthread_cond_t *waited, pthread_mutex_t *held, int64_t duration) {
    struct timespec deadline = time_after(CLOCK_REALTIME, duration);
    require(pthread_mutex_lock(held) == 0);
    int error = pthread_cond_timedwait(waited, held, &deadline);
    require(pthread_mutex_unlock(held) == 0);
    return error;
}

// Waits for a condition with a recursive mutex, and for a condition that processes share.
static void other_conditions(void) {
    pthread_mutexattr_t mutex_attributes;
    pthread_condattr_t attributes;
    pthread_mutex_t own_mutex;
    pthread_cond_t own_condition;
    pthread_mutexattr_init(&mutex_attributes);
    pthread_condattr_init(&attributes);
    require(pthread_mutexattr_settype(&mutex_attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    require(pthread_mutex_init(&own_mutex, &mutex_attributes) == 0);
    require(pthread_cond_init(&own_condition, &attributes) == 0);
    require(wait_on(&own_condition, &own_mutex, ticks(1)) == ETIMEDOUT);
    require(pthread_cond_destroy(&own_condition) == 0);
    require(pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    require(pthread_cond_init(&own_condition, &attributes) == 0);
    require(wait_on(&own_condition, &own_mutex, 1000000) == ETIMEDOUT);
    require(pthread_cond_destroy(&own_condition) == 0 && pthread_mutex_destroy(&own_mutex) == 0);
}

const struct program condition_programs[] = {
    {"a signal before the deadline is no time-out", a_signal_before_the_deadline, false},
    {"timed and other waits for one condition", timed_and_other_waits, false},
    {"a cancelled thread takes no signal", a_cancelled_thread_takes_no_signal, false},
    {"conditions of other kinds", other_conditions, false},
    {NULL, NULL, false},
};
