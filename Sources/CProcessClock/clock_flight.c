// Finds out whether the kernel still has data on its way from one thread of the process to another.
//
// Data in a pipe, a socket of the Unix domain or a datagram wakes its reader within the writer's call. Other data may
// still be on its way while all threads are asleep:
//
// - TCP keeps small pieces back until earlier ones are acknowledged, the other end delays the acknowledgment, and a
//   busy kernel delivers later.
// - A pseudo-terminal hands its bytes over in a thread of the kernel.
//
// When all threads are asleep, the kernel is therefore asked to deliver. `poll` of a terminal waits for the kernel's
// thread. TCP_QUICKACK sends an acknowledgment that is due, and one is due only for data that has arrived. After that,
// some bytes may still not be acknowledged, and TCP may keep bytes back although the other end has room. Such bytes
// count as running while their numbers change, and for a grace period after the last change. The grace period is
// measured in the machine's time. It is limited, because the other end may be on another machine that does not answer.
//
// Owns the folder of the process's descriptors and the room for their numbers; only the thread that settles uses them.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>

// The grace period. It is much longer than the 200 ms for which the kernel delays an acknowledgment or holds data of a
// corked socket.
static const int64_t grace = SECOND;

static struct {
    ZERO_IN_CHILDREN bool is_open;
    int folder;
    // Before these entries are passed to `poll`, `revents` is 1 for a TCP connection, and 0 for any other descriptor.
    struct pollfd *descriptors;
    size_t count, capacity;
    // `kept_back` is the number of bytes that the sockets kept back at the last examination, and `acknowledged` is the
    // number of bytes that had been acknowledged by then. Both numbers have been the same since the instant `since`.
    uint64_t kept_back, acknowledged;
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

// Lists the descriptors of the process. Returns false if no descriptor is free to open their folder.
static bool list_descriptors(void) {
    if (!own.is_open) {
        own.folder = own_descriptor(open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        own.is_open = own.folder >= 0;
    }
    own.count = 0;
    if (own.is_open) for_each_number(own.folder, add, NULL);
    return own.is_open;
}

// Whether the descriptor is a terminal. Both ends of a pseudo-terminal count, because the other end may be in another
// process with the same virtual time.
static bool is_terminal(int descriptor) {
    struct termios modes;
    return tcgetattr(descriptor, &modes) == 0;
}

// TCP_LISTEN of netinet/tcp.h, which cannot be included beside linux/tcp.h.
enum { listens = 10 };

// Reads the state of a TCP socket that is, or will be, connected. Returns false for every other descriptor. A listener
// is left out, because it has other numbers in these fields.
static bool is_connection(int descriptor, struct tcp_info *state) {
    socklen_t size = sizeof *state;
    *state = (struct tcp_info){0};
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, state, &size) == 0 && state->tcpi_state != listens;
}

// Returns the number of bytes of a connection that have not arrived. Bytes that do not fit into the receiver's window
// are not counted, because they wait for the reader.
static uint64_t bytes_kept_back(int descriptor, uint64_t *acknowledged) {
    struct tcp_info state;
    if (!is_connection(descriptor, &state)) return 0;
    *acknowledged += state.tcpi_bytes_acked;
    bool is_sendable = state.tcpi_notsent_bytes > 0 && state.tcpi_notsent_bytes <= state.tcpi_snd_wnd;
    if (state.tcpi_unacked == 0 && !is_sendable) return 0;
    int bytes = 0;
    // A connection that is still being made has no bytes, and counts as 1.
    return ioctl(descriptor, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? (uint64_t)bytes : 1;
}

static uint64_t all_bytes_kept_back(uint64_t *acknowledged) {
    uint64_t sum = 0;
    *acknowledged = 0;
    for (size_t i = 0; i < own.count; i++) {
        if (own.descriptors[i].revents) sum += bytes_kept_back(own.descriptors[i].fd, acknowledged);
    }
    return sum;
}

static void acknowledge(int descriptor) {
    // The lowest bit is not set, because it would end the delay of later acknowledgments too.
    int now = 2;
    setsockopt(descriptor, IPPROTO_TCP, TCP_QUICKACK, &now, sizeof now);
}

bool data_has_arrived(bool *has_delivered) {
    *has_delivered = false;
    if (!list_descriptors()) return false;
    bool has_terminal = false, has_connection = false;
    for (size_t i = 0; i < own.count; i++) {
        struct pollfd *row = &own.descriptors[i];
        struct tcp_info state;
        row->revents = is_connection(row->fd, &state);
        has_connection |= row->revents != 0;
        has_terminal |= row->revents == 0 && is_terminal(row->fd);
    }
    // Data may have arrived since the threads were examined.
    *has_delivered = has_terminal || has_connection;
    uint64_t acknowledged = 0, kept_back = has_connection ? all_bytes_kept_back(&acknowledged) : 0;
    if (kept_back > 0) {
        for (size_t i = 0; i < own.count; i++) {
            if (own.descriptors[i].revents) acknowledge(own.descriptors[i].fd);
        }
        kept_back = all_bytes_kept_back(&acknowledged);
    }
    // The terminals are polled twice, because one end may answer with an echo, which then is on its way to the other
    // end.
    for (int times = 0; has_terminal && times < 2; times++) libc()->poll(own.descriptors, own.count, 0);
    int64_t now = process_clock_machine_time();
    // The bytes that are kept back may be different ones although their number is the same. Therefore the acknowledged
    // bytes are compared too.
    if (kept_back != own.kept_back || acknowledged != own.acknowledged)
        own.kept_back = kept_back, own.acknowledged = acknowledged, own.since = now;
    bool is_over = kept_back == 0 || now - own.since > grace;
    atomic_store(&own.ignored, is_over ? kept_back : 0);
    return is_over;
}

#endif
