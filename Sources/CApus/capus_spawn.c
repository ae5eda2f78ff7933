#define _GNU_SOURCE
#include "CApusSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#ifndef POSIX_SPAWN_SETSID
#define POSIX_SPAWN_SETSID 0x80
#endif

int capus_spawn_detached(const char *path, char *const *argv, char *const *envp, int output, int ready, int *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid = 0;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }

    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    // A descriptor that already has its final number keeps its close-on-exec flag in dup2, so every one is moved away first.
    int output_copy = fcntl(output, F_DUPFD_CLOEXEC, 10);
    int ready_copy = fcntl(ready, F_DUPFD_CLOEXEC, 10);
    if (output_copy < 0 || ready_copy < 0) error = errno;
    if (error == 0) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, output_copy, 1);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, output_copy, 2);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, ready_copy, 3);
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 34))
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 4);
#endif
    if (error == 0) error = posix_spawn_file_actions_addchdir_np(&actions, "/");
    if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (error == 0)
        error = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (error == 0) error = posix_spawn(&pid, path, &actions, &attributes, argv, envp);
    if (error == 0) *process = pid;
    if (output_copy >= 0) close(output_copy);
    if (ready_copy >= 0) close(ready_copy);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
