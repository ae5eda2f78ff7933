#define _GNU_SOURCE
#include "CApusCommand.h"

#include "capus_descriptors.h"
#include "capus_process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

struct failure {
    int error;
    int step;
};

static int make_pipe(int ends[2]) {
#ifdef __linux__
    return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
#else
    if (pipe(ends) != 0) return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}

// Returns the descriptor if its number is above 2, or else a copy with such a number, so that no dup2 onto 0, 1 or 2
// closes it.
static int above_standard(int descriptor) {
    return descriptor > 2 ? descriptor : fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

// Runs a text without "#!" as a script of /bin/sh, as execvp(3) and the shells do. A file with a NUL in its first line
// is no text.
static void become_script(const struct capus_command *command) {
    char start[128];
    int file = open(command->path, O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? 0 : read(file, start, sizeof start);
    for (ssize_t index = 0; index < count && start[index] != '\n'; index++) {
        if (start[index] != 0) continue;
        errno = ENOEXEC;
        return;
    }
    size_t words = 0;
    while (command->argv[words] != NULL) words++;
    char *argv[words + 2];
    argv[0] = "/bin/sh";
    argv[1] = (char *)command->path;
    for (size_t index = 1; index <= words; index++) argv[index + 1] = command->argv[index];
    capus_execve(argv[0], argv, command->envp);
}

// Becomes the command, in the child. Only async-signal-safe calls are allowed between fork and exec in a process with
// threads (fork(2)).
static void become(const struct capus_command *command, int output, int channel) {
    struct failure failure = {0, CAPUS_COMMAND_PREPARE};
    channel = above_standard(channel);
    if (channel < 0) _exit(126);
    setsid();
    output = above_standard(output);
    int null = output < 0 ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0) goto failed;
    // A dup2 from 0 onto 0 does nothing, so descriptor 0 would still be closed on exec.
    if (null == 0) fcntl(null, F_SETFD, 0);
    if (dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) goto failed;
    capus_close_on_exec_from(3);

    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    umask((mode_t)command->mask);
    capus_take_niceness_of_parent();

    failure.step = CAPUS_COMMAND_FOLDER;
    if (chdir(command->folder) != 0) goto failed;

    if (command->file_limit != 0) {
        failure.step = CAPUS_COMMAND_PREPARE;
        struct rlimit limit;
        if (getrlimit(RLIMIT_NOFILE, &limit) != 0) goto failed;
        limit.rlim_cur = command->file_limit == UINT64_MAX ? RLIM_INFINITY : (rlim_t)command->file_limit;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) goto failed;
    }
    failure.step = CAPUS_COMMAND_EXECUTE;
    capus_execve(command->path, command->argv, command->envp);
    if (errno == ENOEXEC) become_script(command);
failed:
    failure.error = errno;
    _exit(write(channel, &failure, sizeof failure) == (ssize_t)sizeof failure ? 127 : 126);
}

// Signals stay blocked until the child has its own signal actions, because the parent's handlers must not run in the
// child for a signal that arrives before that.
static pid_t fork_blocked(const struct capus_command *command, int output, int channel) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = capus_fork();
    int error = errno;
    if (child == 0) become(command, output, channel);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return child;
}

int capus_command_start(
    const struct capus_command *command, int *process, int *output, enum capus_command_step *step) {
    int printed[2], channel[2];
    *process = 0;
    *output = -1;
    *step = CAPUS_COMMAND_PIPE;
    int error = make_pipe(printed);
    if (error != 0) return error;
    error = make_pipe(channel);
    if (error != 0) {
        close(printed[0]);
        close(printed[1]);
        return error;
    }
    fcntl(printed[0], F_SETFL, O_NONBLOCK);

    *step = CAPUS_COMMAND_FORK;
    pid_t child = fork_blocked(command, printed[1], channel[1]);
    error = child < 0 ? errno : 0;
    close(printed[1]);
    close(channel[1]);
    if (error == 0) {
        *process = child;
        *step = CAPUS_COMMAND_STARTED;
        // The read ends when the child's end of the channel is closed. If exec succeeds, it closes that end; otherwise,
        // the child first writes why the program does not run.
        struct failure failure;
        ssize_t count;
        do { count = read(channel[0], &failure, sizeof failure); } while (count < 0 && errno == EINTR);
        if (count == (ssize_t)sizeof failure) {
            error = failure.error;
            *step = (enum capus_command_step)failure.step;
        }
    }
    close(channel[0]);
    if (error != 0) close(printed[0]); else *output = printed[0];
    return error;
}

int capus_child_wait(int *process, int *status) {
    siginfo_t info;
    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED) == 0) break;
        if (errno != EINTR) return errno;
    }
    *process = info.si_pid;
    *status = info.si_code == CLD_EXITED ? info.si_status : -1 - info.si_status;
    return 0;
}

int capus_adopt_orphans(void) {
#if defined(__linux__) && defined(PR_SET_CHILD_SUBREAPER)
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : errno;
#else
    return ENOTSUP;
#endif
}

int capus_pipe(int *ends) {
    int error = make_pipe(ends);
    if (error != 0) return error;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    return 0;
}

static uint64_t plain(rlim_t limit) { return limit == RLIM_INFINITY ? UINT64_MAX : (uint64_t)limit; }

int capus_file_limit(uint64_t *soft, uint64_t *hard) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
    *soft = plain(limit.rlim_cur);
    *hard = plain(limit.rlim_max);
    return 0;
}

int capus_set_file_limit(uint64_t soft) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
    limit.rlim_cur = soft == UINT64_MAX ? RLIM_INFINITY : (rlim_t)soft;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? 0 : errno;
}

int capus_process_limit(uint64_t *soft) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NPROC, &limit) != 0) return errno;
    *soft = plain(limit.rlim_cur);
    return 0;
}
