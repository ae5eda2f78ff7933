// Data on its way from one thread of the process to another, in the kernel.
//
// A pipe, a socket of the Unix domain and a datagram wake the reader within the writer's call. Others do not: TCP keeps
// small pieces back until earlier ones are acknowledged, and the other end delays that; a pseudo-terminal hands its
// bytes over in a thread of the kernel. When all threads are asleep, the kernel is asked to deliver: `poll` of a
// terminal waits for that thread, and TCP_QUICKACK sends an acknowledgment that is due. What TCP keeps back though the
// other end has room counts as running, for as long as it changes and then for a grace of the machine's time: the other
// end may be of another machine, which does not answer.
//
// Owns the folder of the process's descriptors and the room for their numbers; only the thread that settles uses them.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// Much longer than the kernel delays an acknowledgment, or holds data of a corked socket: 200 ms.
static const int64_t grace = SECOND;

static struct {
    ZERO_IN_CHILDREN bool is_listed;
    int folder;
    struct pollfd *descriptors;
    size_t count, capacity;
    // What the sockets kept back, as a sum that is only compared, and since when it has been the same.
    uint64_t kept_back;
    int64_t since;
    atomic_uint_least64_t ignored;
} own;

__attribute__((constructor(101))) static void be_separate(void) { zero_in_children(&own, sizeof own); }

uint64_t process_clock_bytes_kept_back(void) { return atomic_load(&own.ignored); }

static bool add(int32_t descriptor, void *nothing) {
    if (is_own_descriptor(descriptor)) return true;
    if (own.count == own.capacity) {
        size_t capacity = own.capacity ? 2 * own.capacity : 64;
        struct pollfd *more = realloc(own.descriptors, capacity * sizeof(struct pollfd));
        if (!more) return false;
        own.descriptors = more, own.capacity = capacity;
    }
    own.descriptors[own.count++] = (struct pollfd){.fd = descriptor, .events = POLLIN | POLLOUT};
    return true;
}

static void list_descriptors(void) {
    if (!own.is_listed) {
        own.folder = own_descriptor(open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        own.is_listed = true;
    }
    own.count = 0;
    for_each_number(own.folder, add, NULL);
}

static bool is_master_of_terminal(int descriptor) {
    unsigned number;
    return ioctl(descriptor, TIOCGPTN, &number) == 0;
}

// How many bytes a TCP socket keeps back though they could be sent. A window that is too small waits for the reader.
static uint64_t bytes_kept_back(int descriptor) {
    struct tcp_info state = {0};
    socklen_t size = sizeof state;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &state, &size) != 0 || state.tcpi_notsent_bytes == 0) return 0;
    return state.tcpi_unacked > 0 || state.tcpi_notsent_bytes <= state.tcpi_snd_wnd ? state.tcpi_notsent_bytes : 0;
}

static void acknowledge(int descriptor) {
    // Only now: the lowest bit would keep it from delaying later ones.
    int now = 2;
    setsockopt(descriptor, IPPROTO_TCP, TCP_QUICKACK, &now, sizeof now);
}

static bool is_socket(int descriptor) {
    int type;
    socklen_t size = sizeof type;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

bool data_has_arrived(bool *has_delivered) {
    list_descriptors();
    uint64_t kept_back = 0;
    bool has_terminal = false;
    for (size_t i = 0; i < own.count; i++) {
        int descriptor = own.descriptors[i].fd;
        if (is_socket(descriptor)) kept_back += bytes_kept_back(descriptor);
        else has_terminal |= is_master_of_terminal(descriptor);
    }
    // An end may answer with an echo to the other, which is polled again then.
    for (int times = 0; has_terminal && times < 2; times++) libc()->poll(own.descriptors, own.count, 0);
    for (size_t i = 0; kept_back > 0 && i < own.count; i++) acknowledge(own.descriptors[i].fd);
    *has_delivered = has_terminal || kept_back > 0;
    int64_t now = process_clock_machine_time();
    if (kept_back != own.kept_back) own.kept_back = kept_back, own.since = now;
    bool is_over = kept_back == 0 || now - own.since > grace;
    atomic_store(&own.ignored, is_over ? kept_back : 0);
    return is_over;
}

#endif
