// The calls that make processes, where there are any.

#ifndef CAPUS_PROCESS_H
#define CAPUS_PROCESS_H

#include <sys/resource.h>
#include <unistd.h>

#ifdef __APPLE__
#include <TargetConditionals.h>
#endif

// On tvOS and watchOS they are not to be used (Apple, unistd.h: __TVOS_PROHIBITED, __WATCHOS_PROHIBITED); the daemon is not
// for these systems, and its target is compiled there all the same.
#if defined(__APPLE__) && (TARGET_OS_TV || TARGET_OS_WATCH)
#include <errno.h>

static inline pid_t capus_fork(void) {
    errno = ENOTSUP;
    return -1;
}

static inline int capus_execve(const char *path, char *const *argv, char *const *envp) {
    (void)path, (void)argv, (void)envp;
    errno = ENOTSUP;
    return -1;
}
#else
static inline pid_t capus_fork(void) {
    return fork();
}

static inline int capus_execve(const char *path, char *const *argv, char *const *envp) {
    return execve(path, argv, envp);
}
#endif

// For a child: on Linux each thread has a niceness, which Dispatch sets by its quality of service, and a child begins with
// that of the thread which made it. This gives it that of the parent's first thread, which is the process's own.
static inline void capus_take_niceness_of_parent(void) {
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, (id_t)getppid()));
}

#endif
