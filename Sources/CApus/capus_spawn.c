#define _GNU_SOURCE
#include "CApusSpawn.h"

#include "capus_descriptors.h"
#include "capus_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/close_range.h>
#include <sys/syscall.h>
#endif

struct report {
    pid_t process;
    int error;
};

void capus_close_on_exec_from(int first) {
#if defined(__linux__) && defined(SYS_close_range) && defined(CLOSE_RANGE_CLOEXEC)
    // Since Linux 5.11, a single call marks all descriptors (close_range(2)).
    if (syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
#endif
    long limit = sysconf(_SC_OPEN_MAX);
    if (limit < 0 || limit > 65536) limit = 65536;
    for (int descriptor = first; descriptor < limit; descriptor++) {
        int flags = fcntl(descriptor, F_GETFD);
        if (flags >= 0) fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
    }
}

/// Becomes the program, in the second child.
///
/// Only async-signal-safe calls are allowed between fork and exec in a process with threads (fork(2)).
static int become(const char *path, char *const *argv, char *const *envp, int output, int ready) {
    int null = open("/dev/null", O_RDONLY);
    // The descriptors are moved away first, so that no dup2 below closes one that is still needed.
    int output_copy = fcntl(output, F_DUPFD_CLOEXEC, 10);
    int ready_copy = fcntl(ready, F_DUPFD_CLOEXEC, 10);
    if (null < 0 || output_copy < 0 || ready_copy < 0) return errno;
    if (dup2(null, 0) < 0 || dup2(output_copy, 1) < 0 || dup2(output_copy, 2) < 0 || dup2(ready_copy, 3) < 0) return errno;
    capus_close_on_exec_from(4);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir("/") != 0) return errno;
    capus_execve(path, argv, envp);
    return errno;
}

int capus_spawn_detached(const char *path, char *const *argv, char *const *envp, int output, int ready, int *process) {
    int channel[2];
    if (pipe(channel) != 0) return errno;
    fcntl(channel[0], F_SETFD, FD_CLOEXEC);
    fcntl(channel[1], F_SETFD, FD_CLOEXEC);

    pid_t first = capus_fork();
    if (first < 0) {
        int error = errno;
        close(channel[0]);
        close(channel[1]);
        return error;
    }
    if (first == 0) {
        capus_take_niceness_of_parent();
        setsid();
        // The program is a grandchild, so that it is never a zombie of this process. It is not the leader of its
        // session, so that it never gets a terminal.
        pid_t second = capus_fork();
        struct report report = {second, 0};
        if (second == 0) {
            report.process = 0;
            report.error = become(path, argv, envp, output, ready);
            if (write(channel[1], &report, sizeof report) < 0) _exit(126);
            _exit(127);
        }
        if (second < 0) report.error = errno;
        if (write(channel[1], &report, sizeof report) < 0) _exit(126);
        _exit(0);
    }

    close(channel[1]);
    while (waitpid(first, NULL, 0) < 0 && errno == EINTR) {}
    // The reads end when both children's ends of the channel are closed. The first child writes its report and exits.
    // If exec succeeds, it closes the end of the second child; otherwise, that child writes why the program does not
    // run, and exits.
    int error = 0;
    struct report report;
    for (;;) {
        ssize_t count = read(channel[0], &report, sizeof report);
        if (count < 0 && errno == EINTR) continue;
        if (count != (ssize_t)sizeof report) break;
        if (report.error != 0) error = report.error;
        if (report.process > 0) *process = report.process;
    }
    close(channel[0]);
    return error;
}
