// Reads what the kernel's files say about threads and processes. The clock of a process uses this file, and so does
// `apus-clock`, together with clock_libc.c. Owns nothing, and takes no lock.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static ssize_t read_text(int file, char *text, size_t size) {
    ssize_t length = pread(file, text, size - 1, 0);
    text[length > 0 ? length : 0] = 0;
    return length;
}

bool thread_activity(int schedule, uint64_t *activity) {
    char text[96];
    if (read_text(schedule, text, sizeof text) <= 0) return false;
    // The second number is how long the thread has waited for a processor.
    char *end;
    uint64_t time = strtoull(text, &end, 10);
    strtoull(end, &end, 10);
    *activity = time + strtoull(end, NULL, 10);
    return true;
}

// Returns the part of a `stat` text that begins with the state, or NULL if the text has none. The name before the state
// is in parentheses, and may contain any character.
static const char *after_name(const char *text) {
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' ? name_end + 2 : NULL;
}

char thread_state(int state) {
    char text[128];
    if (read_text(state, text, sizeof text) <= 0) return 0;
    const char *found = after_name(text);
    return found ? *found : 0;
}

bool thread_is_off_processor(int place) {
    char name[64];
    return read_text(place, name, sizeof name) > 0 && strcmp(name, "0") != 0;
}

struct process_state process_state(int process) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    int file = libc()->open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return (struct process_state){0};
    read_text(file, text, sizeof text);
    libc()->close(file);
    const char *state = after_name(text), *start = state;
    for (int field = 0; start && field < 19; field++) start = strchr(start + 1, ' ');
    if (!start) return (struct process_state){0};
    return (struct process_state){
        *state, (int)strtol(state + 1, NULL, 10), strtoull(start, NULL, 10) << 32 | (uint32_t)process};
}

// MARK: Whether the kernel has these files

struct sleeper {
    atomic_int thread, is_released;
};

static void *sleep_until_released(void *argument) {
    struct sleeper *sleeper = argument;
    atomic_store(&sleeper->thread, (int)libc()->syscall(SYS_gettid));
    while (!atomic_load(&sleeper->is_released)) futex(&sleeper->is_released, FUTEX_WAIT_PRIVATE, 0, NULL);
    return NULL;
}

// Some emulations of a kernel have files whose contents never change. This function therefore naps until the kernel has
// counted a run of the calling thread, and has named the place where the other thread sleeps.
static const char *obstacle_beside(const struct sleeper *sleeper) {
    uint64_t before, after;
    int schedule = libc()->open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC), place = -1;
    bool is_counted = false, is_named = false, is_readable = thread_activity(schedule, &before);
    for (int nap = 0; is_readable && nap < 1000 && !(is_counted && is_named); nap++) {
        process_clock_machine_sleep(nap < 20 ? 50000 : SECOND / 1000);
        is_counted |= thread_activity(schedule, &after) && after != before;
        int thread = atomic_load(&sleeper->thread);
        if (place < 0 && thread != 0) {
            char path[64];
            snprintf(path, sizeof path, "/proc/self/task/%d/wchan", thread);
            place = libc()->open(path, O_RDONLY | O_CLOEXEC);
        }
        is_named = thread_is_off_processor(place);
    }
    if (schedule >= 0) libc()->close(schedule);
    if (place >= 0) libc()->close(place);
    if (!is_counted) return "this kernel does not count how often threads run (/proc/PID/schedstat)";
    return is_named ? NULL : "this kernel does not say where threads sleep (/proc/PID/wchan)";
}

const char *thread_files_obstacle(void) {
    struct sleeper sleeper = {0, 0};
    sigset_t all, before;
    pthread_t thread;
    // The caller must not be cancelled, because the other thread uses its stack frame.
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    // Signals are blocked, so that no handler of the program runs on the other thread.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_made = pthread_create(&thread, NULL, sleep_until_released, &sleeper) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    const char *obstacle = is_made ? obstacle_beside(&sleeper) : "no thread can be made";
    if (is_made) {
        atomic_store(&sleeper.is_released, 1);
        futex(&sleeper.is_released, FUTEX_WAKE_PRIVATE, 1, NULL);
        pthread_join(thread, NULL);
    }
    pthread_setcancelstate(cancel_state, NULL);
    return obstacle;
}

#endif
