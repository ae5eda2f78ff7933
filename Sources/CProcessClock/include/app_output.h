// Keeps the output of a process of a simulated app for the device, and lets the process report its own crash.

#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

/// Makes a file in memory for the outputs of a process, or returns -1.
///
/// Unlike a pipe, the file never lets a writer wait. A process that waits would look like one at rest.
int app_output_make(void);

/// Reads output of the process from `offset` on, as pread(2) does.
///
/// Returns the number of bytes; 0 if the process has written nothing more, or -1.
long app_output_read(int output, void *bytes, unsigned long capacity, int64_t offset);

/// In the process: switches off the buffer of the standard output, so that the process holds back nothing that it
/// prints.
void app_output_begin(void);

/// In the process: returns the number of bytes that it has written.
int64_t app_output_size(void);

/// In the process: has `report` called before a signal that is caused by a mistake, such as SIGSEGV, ends the process.
///
/// `report` is called on the thread that made the mistake, as if it were called by the code that made it. Only the
/// first such signal is reported.
void app_crash_begin(void (*report)(void));

/// True if the process is about to end because of a signal that `app_crash_begin` reports.
///
/// The process is then not at rest, although its threads may be asleep.
bool app_crash_has_begun(void);

/// Waits for the end of the process.
void app_crash_wait(void);

/// Notes for which purpose the phone calls code on this thread, so that a crash report can name it.
///
/// At most 200 bytes of `name` are copied.
void app_call_begin(const char *name);
/// Returns the purpose that was noted last on this thread; an empty text if there is none.
const char *app_call_current(void);

/// Whether the calling thread is the first of its process.
bool app_thread_is_first(void);
/// The label of the Dispatch queue whose work the calling thread performs; an empty text if there is none.
const char *app_thread_queue(void);

#endif
