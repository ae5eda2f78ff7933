#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CApusLock.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void pause_cpu(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void capus_lock_wait(uint32_t *word) {
    // The lock is held for tens of nanoseconds, so a short spin usually saves the system call.
    for (int spin = 0; spin < 64; spin++) {
        uint32_t expected = CAPUS_LOCK_FREE;
        if (__atomic_compare_exchange_n(word, &expected, CAPUS_LOCK_HELD, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return;
        }
        if (expected == CAPUS_LOCK_CONTENDED) break;
        pause_cpu();
    }
    while (__atomic_exchange_n(word, CAPUS_LOCK_CONTENDED, __ATOMIC_ACQUIRE) != CAPUS_LOCK_FREE) {
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, CAPUS_LOCK_CONTENDED, 0, 0, 0);
    }
}

void capus_lock_wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0); }
#endif

_Thread_local uint32_t capus_own_thread_number = 0;

uint32_t capus_number_thread(void) {
    static uint32_t threads = 0;
    return capus_own_thread_number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
}
