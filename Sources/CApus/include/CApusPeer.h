// Who is at the other end of a Unix socket.

#ifndef CAPUS_PEER_H
#define CAPUS_PEER_H

#include <sys/types.h>

/// The user and the process that connected. Returns 0, or -errno. Where the system does not tell the process, it is 0.
int capus_peer_uid(int fd, uid_t *uid, pid_t *pid);

#endif
