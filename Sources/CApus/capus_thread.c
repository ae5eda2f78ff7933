#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CApusThread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct thread {
    char name[16];
    void (*body)(void *);
    void *context;
};

static void *run_thread(void *argument) {
    struct thread thread = *(struct thread *)argument;
    free(argument);
#if defined(__APPLE__)
    pthread_setname_np(thread.name);
#else
    pthread_setname_np(pthread_self(), thread.name);
#endif
    thread.body(thread.context);
    return NULL;
}

int capus_start_thread(const char *name, void (*body)(void *), void *context, pthread_t *joinable) {
    struct thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL) return ENOMEM;
    strncpy(thread->name, name, sizeof thread->name - 1);
    thread->body = body;
    thread->context = context;

    const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE, SIGXFSZ, SIGPROF};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t index = 0; index < sizeof own / sizeof *own; index++) sigdelset(&blocked, own[index]);
    // A thread inherits the mask of the thread that starts it. There is therefore no moment at which the new thread
    // could get one of the blocked signals.
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t started;
    int error = pthread_create(&started, NULL, run_thread, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        free(thread);
        return error;
    }
    if (joinable != NULL) {
        *joinable = started;
    } else {
        pthread_detach(started);
    }
    return 0;
}
