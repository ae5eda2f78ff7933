// Starts a process in which this program is loaded but does not run, and forks the processes of simulated apps from it.

#ifndef APP_LAUNCHER_H
#define APP_LAUNCHER_H

#include <stddef.h>
#include <stdint.h>

struct app_launcher {
    int32_t process;
    int connection;
};

/// Starts the launcher: this program, with APUS_APP_LAUNCHER in its environment.
///
/// Variables that differ among the launcher's processes have to be in `envp`, with values that are at least as long as
/// those of each process. The functions return 0 or an errno: ENOSYS where time cannot be virtual.
int app_launcher_start(const char *path, char *const *argv, char *const *envp, struct app_launcher *started);

/// Ends the launcher, whose processes must all have ended, and takes the launcher's status.
///
/// The status must be taken, because a caller that waits for any child of this process, as exit tests of Swift Testing
/// do, would find the ended launcher repeatedly.
void app_launcher_end(struct app_launcher launcher);

/// Forks a process that calls `apus_app_process_main` with the function at `offset` (`process_clock_offset`).
///
/// The standard input of the process is `input`, and both its outputs are `output`. `surroundings` contains its current
/// folder and then its variables (`NAME=value`), each followed by a zero. Returns E2BIG if `surroundings` has more than
/// 192 KB.
int app_launcher_fork(
    int connection, uint64_t offset, int input, int output, const char *surroundings, size_t length,
    int32_t *process);

/// Waits until a process of the launcher has ended, and takes its status, as waitpid(2) does.
///
/// Until its status is taken, no other process gets its number.
int app_launcher_wait(int connection, int32_t process, int *status);

#endif
