#ifndef CAPUS_SPAWN_H
#define CAPUS_SPAWN_H

/// Starts `path` in a session of its own and not as a child of this process.
///
/// The program has /dev/null as its input, `output` as its output and error output, and `ready` as descriptor 3. Every
/// other descriptor is closed. Returns 0 and the process, or an errno.
int capus_spawn_detached(const char *path, char *const *argv, char *const *envp, int output, int ready, int *process);

#endif
