// Contains the slow paths of a lock that is one word and uses a futex. The fast paths are in Swift, where they are
// inlined.

#ifndef CAPUS_LOCK_H
#define CAPUS_LOCK_H

#include <stdint.h>

#if defined(__linux__)

// The lock's word. Only a holder that sees CONTENDED has to enter the kernel to unlock.
enum capus_lock_word { CAPUS_LOCK_FREE = 0, CAPUS_LOCK_HELD = 1, CAPUS_LOCK_CONTENDED = 2 };

/// Takes a lock that another thread was seen to hold: spins for a moment, then sleeps.
void capus_lock_wait(uint32_t *word);

/// Wakes one thread that sleeps, after the word was made free.
void capus_lock_wake(uint32_t *word);

#endif

/// Lets the processor fetch what is about to be changed; any address will do, even an invalid one.
static inline void capus_prefetch(uint64_t address) { __builtin_prefetch((const void *)(uintptr_t)address, 1); }

/// The calling thread's number, from 1 on; 0 until it has one.
///
/// Read it with `capus_thread_number`.
extern _Thread_local uint32_t capus_own_thread_number;
uint32_t capus_number_thread(void);

/// A small number for the calling thread: the first thread that asks is 1, the next 2, and so on.
static inline uint32_t capus_thread_number(void) {
    uint32_t number = capus_own_thread_number;
    return number != 0 ? number : capus_number_thread();
}

#endif
