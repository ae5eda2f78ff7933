// Starts the program of the test run once more, as a process for one test.

#ifndef TEST_PROCESS_H
#define TEST_PROCESS_H

#include <stdint.h>

/// The numbers of the descriptors that the process gets beside the standard ones: a file for events, and a connection
/// with its starter.
#define TEST_PROCESS_EVENTS 3
#define TEST_PROCESS_CONTROL 4

/// A process that this process has started, with this process's ends of the connections to it.
///
/// `errors` and `control` are non-blocking, and all descriptors are closed on exec.
struct test_process {
    int32_t process;
    int events;   // the same file
    int errors;   // what it writes to its error output
    int control;  // the other end of the connection
};

/// Starts a program as the leader of a session, with the standard output of this process, and /dev/null as its input.
///
/// In the program, signals have their default actions, and only the standard descriptors and the two descriptors above
/// are open. Returns 0 or an errno: ENOSYS without Linux and glibc.
int test_process_start(
    const char *path, char *const *argv, char *const *envp, struct test_process *started);

/// Waits until the process ends, and leaves it a zombie.
///
/// No other process gets its number until its status is taken with waitpid(2).
void test_process_wait(int32_t process);

/// Kills all processes of a session except its leader, whose number is `session`.
///
/// These are the processes that the leader has started, unless they have made sessions of their own. The leader may be
/// a zombie, and may be this process.
void test_process_end_others(int32_t session);

/// Sends or receives bytes on `control`, as send(2) and recv(2) do, but without SIGPIPE.
///
/// Returns the number of bytes, or -1.
long test_control_send(int control, const void *bytes, unsigned long count);
long test_control_receive(int control, void *bytes, unsigned long count);

#endif
