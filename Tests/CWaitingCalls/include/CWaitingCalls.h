#ifndef C_WAITING_CALLS_H
#define C_WAITING_CALLS_H

#include <stdint.h>

// A way of libc to wait, and a function that waits so for that many nanoseconds. It returns 0 when it has waited to the
// end, and another number when the call failed or ended early for another reason than its time.
struct waiting_call {
    const char *name;
    int (*wait)(int64_t nanoseconds);
};

// One after another from 0 on; NULL beyond the last one.
const struct waiting_call *waiting_call_at(int index);

// Names the calling thread. A thread that names itself with Foundation may be overtaken by it: it does not know the thread
// before its creator has continued.
void name_this_thread(const char *name);

// The number of the thread to which Dispatch has bound the main queue.
uint32_t thread_of_main_queue(void);

#endif
