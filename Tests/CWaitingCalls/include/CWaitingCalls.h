#ifndef C_WAITING_CALLS_H
#define C_WAITING_CALLS_H

#include <stdint.h>

// A way of libc to wait, and a function that waits in this way for a number of nanoseconds. The function returns 0 if
// it has waited to the end, and another number if the call failed or ended early.
struct waiting_call {
    const char *name;
    int (*wait)(int64_t nanoseconds);
};

// Returns the way with this index, from 0; NULL beyond the last one.
const struct waiting_call *waiting_call_at(int index);

// Names the calling thread at once. The name that is set with Foundation's `Thread` may come later, because Foundation
// does not know a new thread before the code that started it has continued.
void name_this_thread(const char *name);

// Returns the number of the thread to which Dispatch has bound the main queue.
uint32_t thread_of_main_queue(void);

#endif
