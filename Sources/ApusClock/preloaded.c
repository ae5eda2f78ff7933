// The process clock in a program that was not built with it: the shared object that `apus-clock` has the dynamic linker
// load first. It joins the clock of the process tree before `main`, and in each forked child.
//
// This file owns the mapping, the slot of this process, and the thread that serves the slot. A forked child inherits
// the mapping, and joins with a slot and a thread of its own.
#define _GNU_SOURCE
#include "shared_clock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct shared_clock *shared;
static struct clock_slot *slot;
static char path[PATH_MAX];

// MARK: The Java virtual machine

// Returns whether the calling thread belongs to a Java virtual machine itself. Such threads wake up to 20 times a
// second, for statistics and compilers, and no Java program sees them. In virtual time, nearly all deadlines would be
// theirs. Before a garbage collection, one of them naps for 10 µs at a time until all other threads have stopped, which
// takes long on a busy machine. Names of threads have at most 15 characters.
static bool is_housekeeper(void) {
    static const char *const names[] = {"VM Periodic Tas", "VM Thread",      "Monitor Deflati", "G1 Service",
                                        "C1 CompilerThre", "C2 CompilerThre", "Sweeper thread",  "Common-Cleaner"};
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

// MARK: Orders

// Returns whether a process has ended. A zombie, for which its parent has not waited yet, has ended too.
static bool has_ended(uint64_t identity) {
    struct process_state now = process_state(process_of(identity));
    // The state cannot be read if no descriptor is free.
    if (now.identity == 0) return kill(process_of(identity), 0) != 0 && errno == ESRCH;
    return now.identity != identity || strchr("ZX", now.state);
}

// Ends this process if `apus-clock` has ended, because time would then stand still for ever.
static void end_without_owner(void) {
    if (!has_ended(shared->owner)) return;
    unlink(path);
    kill(getpid(), SIGKILL);
}

static unsigned next_order(unsigned before) {
    unsigned order;
    while ((order = atomic_load(&slot->order)) == before) {
        const struct timespec second = {.tv_sec = 1};
        if (libc()->syscall(SYS_futex, &slot->order, FUTEX_WAIT, before, &second) != 0 && errno == ETIMEDOUT)
            end_without_owner();
    }
    return order;
}

static void prepare(void) {
    bool has_delivered;
    bool is_delivered = data_has_arrived(&has_delivered), is_woken = waits_wake_again();
    int64_t left;
    atomic_store(&slot->left, process_clock_until_next(&left) ? left : FOREVER);
    atomic_store(&slot->may_be_released, waits_may_be_released());
    atomic_store(&slot->released, waits_released_unseen());
    atomic_store(&slot->has_moved, !is_delivered || is_woken);
}

static void *serve(void *first_order) {
    unsigned order = (unsigned)(uintptr_t)first_order;
    atomic_store(&slot->thread, (int)libc()->syscall(SYS_gettid));
    libc()->syscall(SYS_futex, &slot->thread, FUTEX_WAKE, 1, NULL);
    pthread_setname_np(pthread_self(), "process-clock");
    while (true) {
        order = next_order(order);
        switch ((enum clock_order)(order & ((1U << order_bits) - 1))) {
        case order_prepare: prepare(); break;
        case order_try: atomic_store(&slot->has_moved, waits_try_again()); break;
        case order_fire: process_clock_fire(10 * SECOND); break;
        }
        atomic_store(&slot->answer, order);
        libc()->syscall(SYS_futex, &slot->answer, FUTEX_WAKE, 1, NULL);
    }
    return NULL;
}

// MARK: Joining

// Returns the slot that this process already has if it ran another program before (`execve`), or else a free one.
static struct clock_slot *own_slot(uint64_t process) {
    for (int i = 0; i < slot_count; i++) {
        if (atomic_load(&shared->slots[i].process) == process) return &shared->slots[i];
    }
    for (int i = 0; i < slot_count; i++) {
        uint64_t free = 0;
        if (atomic_compare_exchange_strong(&shared->slots[i].process, &free, process)) return &shared->slots[i];
    }
    return NULL;
}

// Ends a process whose time would stand still for ever.
static _Noreturn void give_up(const char *why) {
    dprintf(STDERR_FILENO, "apus-clock: process %d ends: %s\n", getpid(), why);
    _exit(126);
}

static void begin_serving(void) {
    struct clock_namespaces own = own_namespaces();
    if (own.processes != shared->namespaces.processes || own.time != shared->namespaces.time)
        give_up("it is in another namespace of process numbers, or of time");
    struct process_state now = process_state(getpid());
    if (now.identity == 0) give_up("it cannot read /proc/self/stat");
    slot = own_slot(now.identity);
    if (!slot) give_up("more than 1024 processes share the clock");
    atomic_store(&slot->thread, 0);
    atomic_fetch_add(&slot->joined, 1);
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 512 * 1024);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    void *order = (void *)(uintptr_t)atomic_load(&slot->order);
    if (pthread_create(&thread, &attributes, serve, order) != 0) give_up("it cannot have another thread");
    // Without this, the process could run another program first, and would look as if it were about to join for ever.
    while (atomic_load(&slot->thread) == 0) libc()->syscall(SYS_futex, &slot->thread, FUTEX_WAIT, 0, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

// Gives a forked child a clock of its own. Parent and child share the readings, and the child inherits the descriptors
// of the parent's timers. The kernel has wiped the rest of the parent's clock in the child. A thread that has been
// cancelled may fork too; cancellation is disabled so that such a thread does not end in this function.
static void join_in_child(void) {
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    clock_lock();
    clock_make_virtual();
    timer_descriptors_convert();
    clock_unlock();
    begin_serving();
    pthread_setcancelstate(cancel_state, NULL);
}

static bool map(const char *file) {
    int descriptor = open(file, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return false;
    const int rights = PROT_READ | PROT_WRITE;
    shared = mmap(NULL, sizeof *shared, rights, MAP_SHARED, descriptor, 0);
    bool is_mapped = shared != MAP_FAILED
        && mmap((void *)clock_readings, CLOCK_PAGE, rights, MAP_SHARED | MAP_FIXED, descriptor, 0) != MAP_FAILED;
    libc()->close(descriptor);
    return is_mapped;
}

__attribute__((constructor(102))) static void join(void) {
    const char *file = getenv(CLOCK_VARIABLE);
    if (!file || strlen(file) >= sizeof path || !map(file)) return;
    strcpy(path, file);
    struct process_clock_reading now = {shared->readings[0], shared->readings[1], shared->readings[2]};
    if (process_clock_begin(now) != 0) return;
    thread_keeps_machine_time = is_housekeeper;
    pthread_atfork(NULL, NULL, join_in_child);
    begin_serving();
}
