// What `apus-clock` shares with the processes whose time it moves: a file that all of them map.
//
// A process is in one of these states:
//
//   started ─ join ─> joined ─ execve ─> started …
//      └─ cannot load the clock ─> has the machine's time
//
// - `apus-clock` writes the readings, and only while no thread of the tree can run. A process writes them only when it
//   sets its wall clock, and for a sleep of zero length.
// - A joined process has a slot, and a thread that serves the slot. `apus-clock` writes `order`, and the thread writes
//   the rest.
// - An order is a number that differs from that of the order before; its lowest bits contain the kind of the order. The
//   thread answers by writing the same number into `answer`, after the result. A process that ends, stops or runs
//   another program does not answer; `apus-clock` finds this out from the kernel.
// - `apus-clock` frees the slots of processes that have ended.
#ifndef SHARED_CLOCK_H
#define SHARED_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/stat.h>

#include "../CProcessClock/clock_internal.h"

// The name of the environment variable that contains the path of the file.
#define CLOCK_VARIABLE "APUS_CLOCK"

enum clock_order {
    // Have the kernel deliver the process's data. Then report the time until the next deadline, whether a wait may be
    // released unseen, and how many waits have been released unseen.
    order_prepare = 0,
    // Have the waits whose releases are not seen try again.
    order_try = 1,
    // Fire the wait that is due.
    order_fire = 2,
    // The number of low bits of an order that contain its kind.
    order_bits = 2,
};

struct clock_slot {
    // The identity of the process that has the slot; 0 for a free one.
    atomic_uint_least64_t process;
    // The number of the thread that serves the slot; 0 before it has begun.
    atomic_int thread;
    // The number of times that a program, or a forked child, has joined with this slot.
    atomic_uint joined;
    atomic_uint order, answer;
    // The results of the last order. `has_moved`: whether a thread may have been woken. `may_be_released`: whether a
    // wait may be released unseen. `left`: the time until the next deadline, or FOREVER. `released`: the number of
    // waits that have been released unseen.
    atomic_bool has_moved, may_be_released;
    atomic_int_least64_t left;
    atomic_uint_least64_t released;
};

enum { slot_count = 1024 };

// The caller's namespaces, as inodes; zeros if the kernel does not report them. The identity of a process is valid only
// within its namespaces.
struct clock_namespaces {
    uint64_t processes, time;
};

static inline struct clock_namespaces own_namespaces(void) {
    struct stat processes = {0}, time = {0};
    stat("/proc/self/ns/pid", &processes);
    stat("/proc/self/ns/time", &time);
    return (struct clock_namespaces){processes.st_ino, time.st_ino};
}

struct shared_clock {
    // Mapped over the `clock_readings` of each process.
    _Alignas(CLOCK_PAGE) _Atomic int64_t readings[CLOCK_PAGE / sizeof(int64_t)];
    // The identity of `apus-clock`, and its namespaces.
    _Alignas(CLOCK_PAGE) uint64_t owner;
    struct clock_namespaces namespaces;
    struct clock_slot slots[slot_count];
};

#endif
