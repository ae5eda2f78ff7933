// A lock of one word on a futex.

#ifndef CAPUS_LOCK_H
#define CAPUS_LOCK_H

#include <stdint.h>

#if defined(__linux__)

/// Zero-initialized: unlocked.
typedef struct {
    uint32_t word;
} capus_lock;

void capus_lock_lock(capus_lock *lock);
void capus_lock_unlock(capus_lock *lock);

#endif
#endif
