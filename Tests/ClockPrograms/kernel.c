// Programs whose results depend on data that is in the kernel, between the writer and the reader.
#define _GNU_SOURCE
#include "program.h"

#include "CProcessClock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

static void connect_pair(int ends[2]) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    require(bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 1) == 0);
    require(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(connect(ends[0], (struct sockaddr *)&address, length) == 0);
    ends[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    require(ends[1] >= 0 && close(listener) == 0);
}

enum { requests = 40 };

static bool is_readable(int descriptor) {
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    return poll(&polled, 1, 30000) == 1;
}

// Answers every two bytes with one byte.
static void *answer(void *descriptor) {
    int socket = *(int *)descriptor;
    for (int i = 0; i < requests; i++) {
        char bytes[2];
        for (int got = 0; got < 2; got++) {
            if (!is_readable(socket) || read(socket, bytes + got, 1) != 1) return (void *)1;
        }
        if (write(socket, "!", 1) != 1) return (void *)1;
    }
    return NULL;
}

// The kernel keeps the second byte back until the first one is acknowledged, and the acknowledgement is delayed.
static void small_writes(void) {
    int ends[2];
    connect_pair(ends);
    pthread_t thread = start(answer, &ends[1]);
    int64_t before = reading(CLOCK_MONOTONIC);
    for (int i = 0; i < requests; i++) {
        char byte;
        require(write(ends[0], "a", 1) == 1 && write(ends[0], "b", 1) == 1);
        require(is_readable(ends[0]) && read(ends[0], &byte, 1) == 1);
    }
    void *failure = NULL;
    require(pthread_join(thread, &failure) == 0 && failure == NULL);
    require(!time_is_virtual() || reading(CLOCK_MONOTONIC) == before);
    close(ends[0]);
    close(ends[1]);
}

// Data in a full connection does not stop time.
static void a_full_connection(void) {
    int ends[2];
    connect_pair(ends);
    require(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    static char bytes[65536];
    while (write(ends[0], bytes, sizeof bytes) > 0) {}
    require(errno == EAGAIN);
    for (int i = 0; i < 5; i++) sleep_for(ticks(1));
    size_t total = 0;
    for (int i = 0; i < 3; i++) {
        require(is_readable(ends[1]));
        total += (size_t)read(ends[1], bytes, sizeof bytes);
    }
    require(total > 0);
    sleep_for(ticks(1));
    close(ends[0]);
    close(ends[1]);
}

// With TCP_CORK, the kernel holds back a program's data for up to 200 ms.
static void a_corked_connection(void) {
    int ends[2], on = 1;
    connect_pair(ends);
    char byte;
    require(setsockopt(ends[0], IPPROTO_TCP, TCP_CORK, &on, sizeof on) == 0 && write(ends[0], "a", 1) == 1);
    int64_t before = reading(CLOCK_MONOTONIC);
    require(is_readable(ends[1]) && read(ends[1], &byte, 1) == 1 && byte == 'a');
    require(!time_is_virtual() || reading(CLOCK_MONOTONIC) == before);
    close(ends[0]);
    close(ends[1]);
}

// Data that the kernel keeps back for long does not stop time for ever, and is counted.
static void a_slow_connection(void) {
    int ends[2], rate = 1, on = 1;
    connect_pair(ends);
    require(setsockopt(ends[0], SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate) == 0);
    require(setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
    // The first ten segments are sent at once, and a segment of 60 bytes delays the next one by a minute.
    char bytes[60] = {0};
    for (int i = 0; i < 40; i++) require(write(ends[0], bytes, sizeof bytes) == sizeof bytes);
    for (int i = 0; i < 5; i++) sleep_for(ticks(1));
    require(!time_is_virtual() || process_clock_bytes_kept_back() > 0);
    close(ends[0]);
    close(ends[1]);
    sleep_for(ticks(1));
    require(process_clock_bytes_kept_back() == 0);
}

enum { echoes = 3000 };

static void *echo_lines(void *descriptor) {
    int terminal = *(int *)descriptor;
    for (int i = 0; i < echoes; i++) {
        char byte;
        if (!is_readable(terminal) || read(terminal, &byte, 1) != 1 || write(terminal, &byte, 1) != 1)
            return (void *)1;
    }
    return NULL;
}

static void a_terminal(void) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), terminal = -1;
    require(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct termios settings;
    require(terminal >= 0 && tcgetattr(terminal, &settings) == 0);
    cfmakeraw(&settings);
    require(tcsetattr(terminal, TCSANOW, &settings) == 0);
    pthread_t thread = start(echo_lines, &terminal);
    int64_t before = reading(CLOCK_MONOTONIC);
    for (int i = 0; i < echoes; i++) {
        char byte = (char)('a' + i % 26), echo = 0;
        require(write(master, &byte, 1) == 1);
        require(is_readable(master) && read(master, &echo, 1) == 1 && echo == byte);
    }
    void *failure = NULL;
    require(pthread_join(thread, &failure) == 0 && failure == NULL);
    require(!time_is_virtual() || reading(CLOCK_MONOTONIC) == before);
    close(master);
    close(terminal);
}

const struct program kernel_programs[] = {
    {"two small writes and an answer", small_writes, false},
    {"a full connection", a_full_connection, false},
    {"a corked connection", a_corked_connection, false},
    {"a slow connection", a_slow_connection, false},
    {"echoes of a terminal", a_terminal, false},
    {NULL, NULL, false},
};
