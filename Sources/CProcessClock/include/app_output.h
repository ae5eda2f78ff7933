// The output of a process of a simulated app, which the device reads, and the process's report of its own crash.

#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

/// A file in memory for the outputs of a process, or -1. Unlike a pipe it never has a writer wait, which would look like
/// a process at rest.
int app_output_make(void);

/// Reads what the process has written from `offset` on; 0 when there is nothing more.
long app_output_read(int output, void *bytes, unsigned long capacity, int64_t offset);

/// In the process: from now on nothing that it prints is held back in a buffer.
void app_output_begin(void);

/// In the process: how many bytes it has written.
int64_t app_output_size(void);

/// In the process: a signal that ends it because of a mistake calls `report` on the thread that made the mistake, as if
/// the code that made it had, and then ends the process. Only the first such signal is reported.
void app_crash_begin(void (*report)(void));

/// Whether the process is about to end by such a signal. It must not be taken for one at rest then.
bool app_crash_has_begun(void);

/// Waits for the end of the process.
void app_crash_wait(void);

/// What the phone calls the running thread's code for; the text is copied, as far as it is not longer than 200 bytes.
void app_call_begin(const char *name);
/// The last one of the thread; an empty text when there is none.
const char *app_call_current(void);

/// Whether the calling thread is the first of its process.
bool app_thread_is_first(void);
/// The label of the queue of Dispatch that the calling thread works for; an empty text when there is none.
const char *app_thread_queue(void);

#endif
