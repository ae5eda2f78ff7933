#define _GNU_SOURCE
#include "CProcessClock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

long test_control_send(int control, const void *bytes, unsigned long count) {
#ifdef MSG_NOSIGNAL
    return send(control, bytes, count, MSG_NOSIGNAL);
#else
    return send(control, bytes, count, 0);
#endif
}

long test_control_receive(int control, void *bytes, unsigned long count) {
    return recv(control, bytes, count, 0);
}

void test_process_wait(int32_t process) {
    siginfo_t information;
    while (waitid(P_PID, (id_t)process, &information, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
}

#if defined(__linux__) && defined(__GLIBC__)

static void close_all(const int *descriptors, int count) {
    for (int i = 0; i < count; i++) {
        if (descriptors[i] >= 0) close(descriptors[i]);
    }
}

static int spawn(const char *path, char *const *argv, char *const *envp, const int theirs[3], pid_t *process) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    posix_spawnattr_t attributes;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    if ((error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)) == 0
        && (error = posix_spawn_file_actions_adddup2(&actions, theirs[1], 2)) == 0
        && (error = posix_spawn_file_actions_adddup2(&actions, theirs[0], TEST_PROCESS_EVENTS)) == 0
        && (error = posix_spawn_file_actions_adddup2(&actions, theirs[2], TEST_PROCESS_CONTROL)) == 0
        && (error = posix_spawn_file_actions_addclosefrom_np(&actions, TEST_PROCESS_CONTROL + 1)) == 0
        && (error = posix_spawnattr_setsigdefault(&attributes, &all)) == 0
        && (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0
        && (error = posix_spawnattr_setflags(
                &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID)) == 0)
        error = posix_spawn(process, path, &actions, &attributes, argv, envp);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// Returns whether a process belongs to the session and has not ended. In /proc, the name of a process is in parentheses
// and may contain any character; its state, parent, group and session follow.
static bool is_alive_in(const char *number, int32_t session) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%s/stat", number);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return false;
    text[length] = 0;
    char *name_end = strrchr(text, ')'), state = 0;
    int found = 0;
    return name_end && sscanf(name_end + 1, " %c %*d %*d %d", &state, &found) == 2 && found == session
        && state != 'Z' && state != 'X';
}

void test_process_end_others(int32_t session) {
    bool is_any = true;
    // The search is repeated, because a killed process takes a moment to end, and may have started another one before.
    for (int times = 0; is_any && times < 1000; times++) {
        DIR *processes = opendir("/proc");
        if (!processes) return;
        is_any = false;
        for (struct dirent *entry; (entry = readdir(processes));) {
            pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
            if (process <= 0 || process == session || !is_alive_in(entry->d_name, session)) continue;
            kill(process, SIGKILL);
            is_any = true;
        }
        closedir(processes);
        if (is_any) process_clock_machine_sleep(1000000);
    }
}

int test_process_start(
    const char *path, char *const *argv, char *const *envp, struct test_process *started) {
    int errors[2] = {-1, -1}, control[2] = {-1, -1}, theirs[3] = {-1, -1, -1};
    int events = memfd_create("test events", MFD_CLOEXEC);
    pid_t process = 0;
    int error = 0;
    if (events < 0 || pipe2(errors, O_CLOEXEC) != 0
        || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0
        // The numbers of these copies are higher than the numbers of the descriptors in the new process, so that no
        // dup2 there closes a copy.
        || (theirs[0] = fcntl(events, F_DUPFD_CLOEXEC, 10)) < 0
        || (theirs[1] = fcntl(errors[1], F_DUPFD_CLOEXEC, 10)) < 0
        || (theirs[2] = fcntl(control[1], F_DUPFD_CLOEXEC, 10)) < 0
        || fcntl(errors[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(control[0], F_SETFL, O_NONBLOCK) != 0)
        error = errno;
    // The pipe gets more room, if the kernel allows it, because a process that waits for room in a pipe looks idle to
    // its clock.
    if (error == 0) fcntl(errors[1], F_SETPIPE_SZ, 1 << 20);
    if (error == 0) error = spawn(path, argv, envp, theirs, &process);
    close_all(theirs, 3);
    close_all(&errors[1], 1);
    close_all(&control[1], 1);
    if (error != 0) {
        close_all(&events, 1);
        close_all(&errors[0], 1);
        close_all(&control[0], 1);
        return error;
    }
    *started = (struct test_process){process, events, errors[0], control[0]};
    return 0;
}

#else

int test_process_start(
    const char *path, char *const *argv, char *const *envp, struct test_process *started) {
    (void)path, (void)argv, (void)envp, (void)started;
    return ENOSYS;
}

void test_process_end_others(int32_t session) { (void)session; }

#endif
