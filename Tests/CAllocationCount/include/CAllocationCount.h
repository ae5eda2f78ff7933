// Counts what compiled Swift code allocates on one thread: objects, boxes, contexts of closures, and raw memory.

#ifndef CALLOCATION_COUNT_H
#define CALLOCATION_COUNT_H

/// Begins to count the calling thread's allocations, from zero.
void callocation_count_begin(void);

/// Ends the count and gives it.
long callocation_count_end(void);

#endif
