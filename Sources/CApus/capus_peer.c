#define _GNU_SOURCE  // struct ucred
#include "CApusPeer.h"

#include <errno.h>
#include <sys/socket.h>

#if defined(__APPLE__)
#include <sys/ucred.h>
#include <sys/un.h>

int capus_peer_uid(int fd, uid_t *uid, pid_t *pid) {
    struct xucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(fd, SOL_LOCAL, LOCAL_PEERCRED, &credentials, &size) != 0) return -errno;
    if (credentials.cr_version != XUCRED_VERSION) return -EINVAL;
    *uid = credentials.cr_uid;
    size = sizeof *pid;
    if (getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, pid, &size) != 0) *pid = 0;
    return 0;
}
#else
int capus_peer_uid(int fd, uid_t *uid, pid_t *pid) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -errno;
    // The kernel says "no process" for a socket that is not connected to one of this machine.
    if (credentials.pid == 0 && credentials.uid == (uid_t)-1) return -ENOTCONN;
    *uid = credentials.uid;
    *pid = credentials.pid;
    return 0;
}
#endif
