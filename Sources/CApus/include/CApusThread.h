// The one place where Apus starts threads.

#ifndef CAPUS_THREAD_H
#define CAPUS_THREAD_H

#include <pthread.h>

/// Starts a thread that runs `body`; debuggers and `ps -L` show it with the first 15 bytes of `name`.
///
/// The new thread blocks all signals from its first instruction on. A program may wait for its signals on a thread of
/// its own (sigwait(3)), or handle them on that thread, and the new thread must not take them. The exceptions are
/// signals that the new thread itself causes (such as SIGSEGV and SIGPIPE), and SIGPROF, with which profilers and
/// Swift's crash reports stop every thread.
///
/// The caller must join or detach `thread`; if `thread` is NULL, the new thread is detached. Returns 0 or an errno.
int capus_start_thread(const char *name, void (*body)(void *), void *context, pthread_t *thread);

#endif
