// What `apus-clock` shares with the processes whose time it moves: a file, mapped by all.
//
// A process is one of these:
//
//   started ─ join ─> joined ─ execve ─> started …
//      └─ cannot load the clock ─> has the machine's time
//
// - `apus-clock` writes the readings, and only while no thread of the tree can run. A process writes them where it sets
//   its wall clock, and for a sleep of no length.
// - A joined process has a slot, and a thread that serves it. `apus-clock` writes `order`, the thread everything else.
// - An order is a number that differs from the one before, and its kind in the lowest bits. The thread answers by
//   writing the same number into `answer`, after the result. A process that ends, stops or runs another program does
//   not answer, which `apus-clock` finds out from the kernel.
// - `apus-clock` frees the slots of processes that have ended.
#ifndef SHARED_CLOCK_H
#define SHARED_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/stat.h>

#include "../CProcessClock/clock_internal.h"

// The name of the variable with the file's path.
#define CLOCK_VARIABLE "APUS_CLOCK"

enum clock_order {
    // Have the kernel deliver the process's data, have waits whose releases are not seen try again, and say how long it
    // is until the next deadline.
    order_prepare = 0,
    // The same in the same rest of the tree: waits try again only if one of them has ended.
    order_prepare_again = 1,
    // Fire the wait that is due.
    order_fire = 2,
    // How far the number is shifted.
    order_bits = 2,
};

struct clock_slot {
    // 0 for a free slot; the process that has it, and its thread, 0 until that is there.
    atomic_int process, thread;
    // Increases when another program, or a child, has joined here.
    atomic_uint joined;
    atomic_uint order, answer;
    // Results: whether a thread may have been woken, and how long until the next deadline, or FOREVER.
    atomic_int has_moved;
    atomic_int_least64_t left;
};

enum { slot_count = 1024 };

// The namespace of the caller's process numbers; 0 if the kernel does not say.
static inline uint64_t process_namespace(void) {
    struct stat state;
    return stat("/proc/self/ns/pid", &state) == 0 ? state.st_ino : 0;
}

struct shared_clock {
    // Mapped over the `clock_readings` of each process.
    _Alignas(CLOCK_PAGE) _Atomic int64_t readings[CLOCK_PAGE / sizeof(int64_t)];
    _Alignas(CLOCK_PAGE) atomic_int owner;
    // The namespace of the owner's process numbers, as its inode: the numbers of another one name other processes.
    uint64_t namespace;
    struct clock_slot slots[slot_count];
};

#endif
