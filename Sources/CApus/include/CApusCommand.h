// Starts the commands of a daemon, as children in sessions of their own with one pipe for what they print, and waits
// for them and for their orphans. Functions return 0 or an errno.

#ifndef CAPUS_COMMAND_H
#define CAPUS_COMMAND_H

#include <stdint.h>

/// The parameters with which a command is started.
struct capus_command {
    const char *path;     // the program; a relative path starts at `folder`
    char *const *argv;
    char *const *envp;
    const char *folder;   // the working directory
    uint32_t mask;        // of file creation (umask(2))
    uint64_t file_limit;  // the soft limit of open files; 0: that of this process
};

/// Which step of a start failed.
enum capus_command_step {
    CAPUS_COMMAND_STARTED = 0,
    CAPUS_COMMAND_PIPE = 1,     // making the pipes
    CAPUS_COMMAND_FORK = 2,     // making the process
    CAPUS_COMMAND_PREPARE = 3,  // its descriptors and limits
    CAPUS_COMMAND_FOLDER = 4,   // entering the working directory
    CAPUS_COMMAND_EXECUTE = 5,  // becoming the program
};

/// Starts a command as the leader of a new session, and returns when its program runs, or when the start has failed at
/// `step`.
///
/// The command has /dev/null as its input, and a pipe as its output and error output. Signals have their default
/// actions there, and no other descriptor is open. `output` is the reading end of the pipe, non-blocking and closed on
/// exec. If `process` is not 0 after a failed start, it is a zombie, which `capus_child_wait` reaps.
int capus_command_start(
    const struct capus_command *command, int *process, int *output, enum capus_command_step *step);

/// Waits until any child ends, and reaps it; ECHILD if there is no child.
///
/// `status` is the child's exit code, or -1 minus the number of the signal that ended it.
int capus_child_wait(int *process, int *status);

/// Makes this process the parent of orphans among its descendants, where the kernel can (Linux:
/// PR_SET_CHILD_SUBREAPER).
int capus_adopt_orphans(void);

/// Reads this process's soft and hard limits of open files; UINT64_MAX for no limit.
int capus_file_limit(uint64_t *soft, uint64_t *hard);
/// Sets this process's soft limit of open files; UINT64_MAX for no limit.
int capus_set_file_limit(uint64_t soft);
/// Reads the soft limit of the user's processes; UINT64_MAX for no limit.
int capus_process_limit(uint64_t *soft);

/// Makes a pipe whose ends are non-blocking and closed on exec; `ends` gets the reading end, then the writing end.
int capus_pipe(int *ends);

#endif
