// Contains the calls that make processes, which fail on systems that prohibit them.

#ifndef CAPUS_PROCESS_H
#define CAPUS_PROCESS_H

#include <sys/resource.h>
#include <unistd.h>

#ifdef __APPLE__
#include <TargetConditionals.h>
#endif

// tvOS and watchOS prohibit these calls (Apple, unistd.h: __TVOS_PROHIBITED, __WATCHOS_PROHIBITED). This target is
// compiled there too, although the daemon does not run on these systems.
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

// Gives a child the niceness of the parent's first thread, which is the niceness of the process. On Linux each thread
// has its own niceness, which Dispatch sets by the quality of service, and a child begins with the niceness of the
// thread that made it.
static inline void capus_take_niceness_of_parent(void) {
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, (id_t)getppid()));
}

#endif
