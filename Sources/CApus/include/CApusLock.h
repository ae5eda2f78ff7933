// The slow paths of a lock of one word on a futex; its fast paths are in Swift, where they are inlined.

#ifndef CAPUS_LOCK_H
#define CAPUS_LOCK_H

#include <stdint.h>

#if defined(__linux__)

// The lock's word. Only a holder that sees CONTENDED has to enter the kernel to unlock.
enum capus_lock_word { CAPUS_LOCK_FREE = 0, CAPUS_LOCK_HELD = 1, CAPUS_LOCK_CONTENDED = 2 };

/// Takes a lock that somebody else was seen to hold: spins for a moment, then sleeps.
void capus_lock_wait(uint32_t *word);

/// Wakes one thread that sleeps, after the word was made free.
void capus_lock_wake(uint32_t *word);

#endif

/// A small number for the calling thread: the first thread that asks is 0, the next 1, and so on.
uint32_t capus_thread_number(void);

#endif
