// Gives access to libc's own functions, the kernel's folders and the machine's time, and to memory and descriptors that
// children do not inherit.
//
// The pointers are written once, before `main` or at the first call; there is no lock. Everything here may be called
// with the clock's lock held, in a signal handler and after a fork, except process_clock_machine_sleep, which calls a
// cancellation point.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static struct libc_functions functions;
static atomic_bool functions_are_found;

static void *find(const char *name) {
#if defined(__x86_64__)
    // dlsym would return the functions for the condition variables from before 2003, which have another layout.
    if (strncmp(name, "pthread_cond_", 13) == 0) {
        void *current = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
        if (current) return current;
    }
#endif
    return dlsym(RTLD_NEXT, name);
}

// Needs no lock: two threads that find the functions at once write the same values.
__attribute__((constructor(101))) static void find_functions(void) {
#define CLOCK_FIND(result, name, parameters) *(void **)&functions.name = find(#name);
    CLOCK_FUNCTIONS(CLOCK_FIND)
#undef CLOCK_FIND
    atomic_store_explicit(&functions_are_found, true, memory_order_release);
}

const struct libc_functions *libc(void) {
    if (!atomic_load_explicit(&functions_are_found, memory_order_acquire)) find_functions();
    return &functions;
}

long futex(void *word, int operation, uint32_t value, const struct timespec *timeout) {
    return libc()->syscall(SYS_futex, word, operation, value, timeout, NULL, FUTEX_BITSET_MATCH_ANY);
}

long futex_for_ever(void *word, int operation, uint32_t value, uint32_t bits) {
    static const struct timespec never = {.tv_sec = 1LL << 33};
    return libc()->syscall(SYS_futex, word, operation, value, &never, NULL, bits);
}

// MARK: Calls that are no cancellation points

int open_at_once(const char *path, int flags, mode_t mode) {
    return (int)libc()->syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
}

ssize_t read_at_once(int descriptor, void *buffer, size_t size) {
    return libc()->syscall(SYS_read, descriptor, buffer, size);
}

void close_at_once(int descriptor) { libc()->syscall(SYS_close, descriptor); }

bool is_readable_at_once(int descriptor) {
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    struct timespec none = {0, 0};
    return libc()->syscall(SYS_ppoll, &polled, 1, &none, NULL, 0) != 0;
}

// MARK: Children

static atomic_bool wiping_fails;

void zero_in_children(void *variable, size_t size) {
    if (madvise(variable, size, MADV_WIPEONFORK) != 0) atomic_store(&wiping_fails, true);
}

bool children_are_separate(void) { return !atomic_load(&wiping_fails); }

enum { word_bits = 64 };
// One bit for each descriptor number, which is set for the clock's own descriptors. A forked child inherits the bits,
// and closes these descriptors.
static atomic_uint_least64_t own_descriptors[descriptor_capacity / word_bits];

static atomic_bool lacks_descriptors;

bool process_clock_lacks_descriptors(void) { return atomic_load(&lacks_descriptors); }

static uint64_t bit_of(int descriptor) { return 1ULL << (descriptor % word_bits); }

// Makes a descriptor the clock's own. It is moved away from the low numbers, because a program that has closed a number
// may expect that the next file gets it.
int own_descriptor(int descriptor) {
    enum { first_own = 512 };
    atomic_store(&lacks_descriptors, descriptor < 0 && (errno == EMFILE || errno == ENFILE));
    int moved = descriptor < 0 ? -1 : libc()->fcntl(descriptor, F_DUPFD_CLOEXEC, first_own);
    if (moved >= 0) {
        close_at_once(descriptor);
        descriptor = moved;
    }
    if (descriptor >= descriptor_capacity) {
        close_at_once(descriptor);
        errno = EMFILE;
        return -1;
    }
    if (descriptor >= 0) atomic_fetch_or(&own_descriptors[descriptor / word_bits], bit_of(descriptor));
    return descriptor;
}

bool is_own_descriptor(int descriptor) {
    return descriptor >= 0 && descriptor < descriptor_capacity
        && atomic_load_explicit(&own_descriptors[descriptor / word_bits], memory_order_relaxed) & bit_of(descriptor);
}

// Closes a descriptor only once, because after that its number may be that of another file. Two threads may call this
// at the same time, and a child may call it after a fork.
void close_own_descriptor(int descriptor) {
    if (descriptor < 0) return;
    uint64_t before = atomic_fetch_and(&own_descriptors[descriptor / word_bits], ~bit_of(descriptor));
    if (before & bit_of(descriptor)) close_at_once(descriptor);
}

static void close_own_descriptors(void) {
    for (int word = 0; word < descriptor_capacity / word_bits; word++) {
        uint64_t bits = atomic_load(&own_descriptors[word]);
        for (int bit = 0; bits != 0 && bit < word_bits; bit++) {
            if (bits & bit_of(bit)) close_own_descriptor(word * word_bits + bit);
        }
    }
}

__attribute__((constructor(101))) static void close_in_children(void) {
    pthread_atfork(NULL, NULL, close_own_descriptors);
}

// MARK: Folders of the kernel

struct linux_dirent64 {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

void for_each_number(int folder, bool (*use)(int32_t, void *), void *argument) {
    char buffer[4096];
    long length;
    lseek(folder, 0, SEEK_SET);
    while ((length = libc()->syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0) {
        for (long place = 0; place < length;) {
            struct linux_dirent64 *entry = (struct linux_dirent64 *)(buffer + place);
            place += entry->length;
            if (entry->name[0] == '.') continue;
            if (!use((int32_t)strtol(entry->name, NULL, 10), argument)) return;
        }
    }
}

// MARK: Numbers, and the machine's time

int64_t saturating_sum(int64_t one, int64_t other) {
    int64_t sum;
    if (!__builtin_add_overflow(one, other, &sum)) return sum;
    return one > 0 ? INT64_MAX : INT64_MIN;
}

int64_t nanoseconds(const struct timespec *time) {
    int64_t seconds;
    if (__builtin_mul_overflow((int64_t)time->tv_sec, SECOND, &seconds))
        return time->tv_sec > 0 ? INT64_MAX : INT64_MIN;
    return saturating_sum(seconds, time->tv_nsec);
}

struct timespec timespec_of(int64_t nanoseconds) {
    int64_t seconds = nanoseconds / SECOND, rest = nanoseconds % SECOND;
    if (rest < 0) rest += SECOND, seconds -= 1;
    return (struct timespec){.tv_sec = seconds, .tv_nsec = rest};
}

int64_t process_clock_machine_time(void) {
    struct timespec time;
    libc()->clock_gettime(CLOCK_MONOTONIC, &time);
    return nanoseconds(&time);
}

void process_clock_machine_sleep(int64_t duration) {
    struct timespec time = timespec_of(duration);
    libc()->clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

#endif
