// Counts the allocations of compiled Swift code on one thread: objects, boxes, contexts of closures, and raw memory.

#ifndef CALLOCATION_COUNT_H
#define CALLOCATION_COUNT_H

/// Begins to count the calling thread's allocations, from zero.
void callocation_count_begin(void);

/// Ends the count, and returns it.
long callocation_count_end(void);

#endif
