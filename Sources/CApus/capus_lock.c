#if defined(__linux__)
#define _GNU_SOURCE
#include "CApusLock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

// The lock's word. Only a holder that sees CONTENDED has to enter the kernel to unlock.
enum { FREE = 0, HELD = 1, CONTENDED = 2 };

static inline void pause_cpu(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void capus_lock_lock(capus_lock *lock) {
    // What the lock protects is held for tens of nanoseconds, so a short spin mostly saves the system call.
    for (int spin = 0; spin < 64; spin++) {
        uint32_t expected = FREE;
        if (__atomic_compare_exchange_n(&lock->word, &expected, HELD, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
        if (expected == CONTENDED) break;
        pause_cpu();
    }
    while (__atomic_exchange_n(&lock->word, CONTENDED, __ATOMIC_ACQUIRE) != FREE) {
        syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, CONTENDED, 0, 0, 0);
    }
}

void capus_lock_unlock(capus_lock *lock) {
    if (__atomic_exchange_n(&lock->word, FREE, __ATOMIC_RELEASE) == CONTENDED) {
        syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    }
}

#else
// Other systems bring a lock of their own; a translation unit must not be empty.
typedef int capus_lock_unused;
#endif
