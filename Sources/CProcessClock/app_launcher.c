// The launcher is a process of this program that forks the processes of simulated apps.
//
// Loading and relocating a program and filling the caches of the Swift runtime take about 20 ms. The launcher does this
// once, runs nothing else and has one thread, so that its fork is like a process that has just been loaded.
#define _GNU_SOURCE
#include "app_launcher.h"
#include "clock_internal.h"

#include <errno.h>

#ifndef CLOCK_IS_UNAVAILABLE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Dispatch exports this function for the child of a fork. It binds the main queue to the thread of this process.
__attribute__((weak)) void dispatch_atfork_child(void);

enum { launcher_descriptor = 3, descriptor_count = 3, variables_limit = 4096, message_limit = 192 * 1024 };

struct request {
    // The offset of the function from the program's base address. If it is 0, the request is for the status of
    // `process`, which is returned when that process has ended.
    uint64_t offset;
    pid_t process;
};

struct reply {
    int error;
    pid_t process;
    int status;
};

// MARK: The forked process

// Whether `place`, which is the value of a thread-specific key, points to this number. The value belongs to the library
// that made the key, and may be in memory that the address sanitizer protects.
__attribute__((no_sanitize("address"))) static bool is_number(const pid_t *place, pid_t number) {
    return place && ((uintptr_t)place & 7) == 0 && *place == number;
}

// Corrects the thread's number, which Dispatch keeps in memory that a thread-specific key leads to. After a fork, that
// number is still the one of the launcher's thread. The kernel would refuse contended locks to a thread that uses the
// number of another one.
static void correct_thread_number(pid_t launcher) {
    for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
        pid_t *number = pthread_getspecific(key);
        if (!is_number(number, launcher)) continue;
        *number = (pid_t)syscall(SYS_gettid);
        if (dispatch_atfork_child) dispatch_atfork_child();
        return;
    }
}

// Overwrites the value of a variable in place, because Core Foundation keeps the addresses that some values had when it
// was loaded.
static void overwrite(const char *variable) {
    const char *value = strchr(variable, '=');
    if (!value) return;
    value++;
    for (char **old = environ; *old; old++) {
        if (strncmp(*old, variable, (size_t)(value - variable)) != 0) continue;
        char *old_value = *old + (value - variable);
        if (strlen(old_value) >= strlen(value)) memmove(old_value, value, strlen(value) + 1);
        return;
    }
}

// `text` is the current folder and the variables of the environment, each followed by a zero.
static void take_surroundings(const int *descriptors, char *text, size_t length) {
    static char *variables[variables_limit + 1];
    for (int i = 0; i < descriptor_count; i++) {
        dup2(descriptors[i], i);
        close(descriptors[i]);
    }
    if (chdir(text) != 0) _exit(1);
    size_t count = 0;
    for (char *variable = text + strlen(text) + 1; variable < text + length && count < variables_limit;
         variable += strlen(variable) + 1) {
        overwrite(variable);
        variables[count++] = variable;
    }
    environ = variables;
}

// MARK: The launcher

static void answer(struct reply reply) {
    if (send(launcher_descriptor, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply) _exit(1);
}

static ssize_t receive_request(struct request *request, char *text, int *descriptors) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * descriptor_count)];
    struct iovec parts[2] = {{request, sizeof *request}, {text, message_limit}};
    struct msghdr message = {
        .msg_iov = parts, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t count;
    do count = recvmsg(launcher_descriptor, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    // No more requests come, because the test's process has ended.
    if (count < (ssize_t)sizeof *request) _exit(0);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_type == SCM_RIGHTS)
        memcpy(descriptors, CMSG_DATA(header), sizeof(int) * descriptor_count);
    return count - (ssize_t)sizeof *request;
}

uint64_t app_launcher_main(void) {
    static char text[message_limit + 1];
    pid_t launcher = getpid();
    while (true) {
        struct request request;
        int descriptors[descriptor_count] = {-1, -1, -1};
        ssize_t length = receive_request(&request, text, descriptors);
        struct reply reply = {0};
        if (request.offset == 0) {
            // When a killed process has ended, the kernel may still have to close its files, on this processor. If one
            // of these files is in /proc, waitpid(2) would keep the processor until the launcher's time slice is over.
            // Therefore the launcher gives the processor up first.
            siginfo_t end;
            while (waitid(P_PID, (id_t)request.process, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
            sched_yield();
            while (waitpid(request.process, &reply.status, 0) < 0) {
                if (errno == EINTR) continue;
                reply.error = errno;
                break;
            }
            answer(reply);
            continue;
        }
        text[length] = 0;
        reply.process = fork();
        if (reply.process == 0) {
            close(launcher_descriptor);
            correct_thread_number(launcher);
            take_surroundings(descriptors, text, (size_t)length);
            return request.offset;
        }
        if (reply.process < 0) reply.error = errno;
        for (int i = 0; i < descriptor_count; i++) close(descriptors[i]);
        answer(reply);
    }
}

// MARK: The test's process

static int ask(int connection, struct msghdr *message, struct reply *reply) {
    ssize_t count;
    do count = sendmsg(connection, message, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    if (count < 0) return errno;
    do count = recv(connection, reply, sizeof *reply, 0);
    while (count < 0 && errno == EINTR);
    if (count < 0) return errno;
    return count == sizeof *reply ? reply->error : ECHILD;
}

int app_launcher_start(const char *path, char *const *argv, char *const *envp, struct app_launcher *started) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    // The number of this copy is higher than the number of the descriptor in the new process. If both numbers were
    // equal, dup2 would do nothing, and the descriptor would be closed on exec.
    int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
    int error = theirs < 0 ? errno : 0;
    pid_t process = 0;
    if (error == 0
        && (error = posix_spawn_file_actions_adddup2(&actions, theirs, launcher_descriptor)) == 0
        // The launcher does not keep open what is open in the test's process.
        && (error = posix_spawn_file_actions_addclosefrom_np(&actions, launcher_descriptor + 1)) == 0
        && (error = posix_spawnattr_setsigdefault(&attributes, &all)) == 0
        && (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0
        && (error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)) == 0)
        error = posix_spawn(&process, path, &actions, &attributes, argv, envp);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (theirs >= 0) close(theirs);
    close(ends[1]);
    if (error != 0) close(ends[0]);
    else *started = (struct app_launcher){process, ends[0]};
    return error;
}

void app_launcher_end(struct app_launcher launcher) {
    close(launcher.connection);
    while (waitpid(launcher.process, NULL, 0) < 0 && errno == EINTR) {}
}

int app_launcher_fork(
    int connection, uint64_t offset, int input, int output, const char *surroundings, size_t length,
    int32_t *process) {
    if (length > message_limit) return E2BIG;
    struct request request = {.offset = offset};
    int descriptors[descriptor_count] = {input, output, output};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof descriptors)];
    memset(control, 0, sizeof control);
    struct iovec parts[2] = {{&request, sizeof request}, {(void *)surroundings, length}};
    struct msghdr message = {
        .msg_iov = parts, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptors);
    memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
    struct reply reply;
    int error = ask(connection, &message, &reply);
    if (error == 0) *process = reply.process;
    return error;
}

int app_launcher_wait(int connection, int32_t process, int *status) {
    struct request request = {.process = process};
    struct iovec part = {&request, sizeof request};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct reply reply;
    int error = ask(connection, &message, &reply);
    if (error == 0) *status = reply.status;
    return error;
}

#else

int app_launcher_start(const char *path, char *const *argv, char *const *envp, struct app_launcher *started) {
    (void)path, (void)argv, (void)envp, (void)started;
    return ENOSYS;
}

void app_launcher_end(struct app_launcher launcher) { (void)launcher; }

int app_launcher_fork(
    int connection, uint64_t offset, int input, int output, const char *surroundings, size_t length,
    int32_t *process) {
    (void)connection, (void)offset, (void)input, (void)output, (void)surroundings, (void)length, (void)process;
    return ENOSYS;
}

int app_launcher_wait(int connection, int32_t process, int *status) {
    (void)connection, (void)process, (void)status;
    return ENOSYS;
}

#endif
