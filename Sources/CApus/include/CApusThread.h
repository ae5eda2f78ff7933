// The one place where Apus starts threads.

#ifndef CAPUS_THREAD_H
#define CAPUS_THREAD_H

#include <pthread.h>

/// Starts a thread that runs `body`, and that debuggers and `ps -L` show with the first 15 bytes of `name`.
///
/// From its first instruction on it blocks all signals, so that a program that waits for its signals on a thread of its
/// own (sigwait(3)), or handles them there, gets them there. The exceptions are signals that the thread itself causes
/// (such as SIGSEGV and SIGPIPE), and SIGPROF, with which profilers and Swift's crash reports stop every thread.
///
/// `thread` is to be joined or detached; without it the thread is detached. Returns 0 or an errno.
int capus_start_thread(const char *name, void (*body)(void *), void *context, pthread_t *thread);

#endif
