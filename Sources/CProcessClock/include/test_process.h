// Starts the program of the test run once more, as a process for one test.

#ifndef TEST_PROCESS_H
#define TEST_PROCESS_H

#include <stdint.h>

/// The numbers of the descriptors that the process gets beside the standard ones: a file for events, and a connection
/// with its starter.
#define TEST_PROCESS_EVENTS 3
#define TEST_PROCESS_CONTROL 4

/// This process's side. `errors` and `control` are non-blocking, all are closed on exec.
struct test_process {
    int32_t process;
    int events;   // the same file
    int errors;   // what it writes to its error output
    int control;  // the other end of the connection
};

/// Starts a program with the standard output of this process and /dev/null as its input. Signals have their default
/// actions there, and no other descriptor is open. It leads a session. Returns 0 or an errno: ENOSYS where there is no
/// glibc of Linux.
int test_process_start(
    const char *path, char *const *argv, char *const *envp, struct test_process *started);

/// Waits until the process ends. It stays a zombie: its number is its own until its status is taken with waitpid(2).
void test_process_wait(int32_t process);

/// Kills all processes of the session that a process leads, but not that one: what it has started, as far as it has not
/// made a session of its own. The leader may be a zombie, and may be this process.
void test_process_end_others(int32_t session);

/// send(2) and recv(2) on `control`, without SIGPIPE. The number of bytes, or -1.
long test_control_send(int control, const void *bytes, unsigned long count);
long test_control_receive(int control, void *bytes, unsigned long count);

#endif
