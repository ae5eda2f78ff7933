// Whether anything in the process can run.
//
// A thread is asleep when its state is S. Three passes show that all are asleep at one instant: how much each has run,
// the state of each, and how much each has run. When the first and the third are equal, no thread has run in between:
// all were asleep together, and only a running thread wakes another. How much a thread has run is its processor time
// plus the number of its turns: a thread that was running at the first pass, woke another that still waits for a
// processor, and fell asleep has had no more turns, but more time. A wake-up by a socket or a child is not foreseen.
//
// Owns the table of threads with their open files, under a mutex of its own, which is never held with the clock's lock.
// A forked child opens the files again; if another thread was settling, the child has the mutex locked for ever.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

struct thread {
    int32_t id;
    int state, schedule;  // the descriptors of its files
    uint64_t activity;  // how much it has run: a sum without a unit, only compared
    uint64_t activity_before;  // when this settling began, or the thread
    bool is_there;
};

static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;
static struct thread *threads;
static size_t thread_count, thread_capacity;
static int folder = -1;
static pid_t folder_of;
static atomic_int running_thread;
static atomic_int_least64_t running_since;

int32_t process_clock_running_thread(void) { return atomic_load(&running_thread); }

int64_t process_clock_running_for(void) {
    int64_t since = atomic_load(&running_since);
    return since ? process_clock_machine_time() - since : 0;
}

static int open_file(int32_t thread, const char *name) {
    char path[64];
    snprintf(path, sizeof(path), "%d/%s", thread, name);
    return openat(folder, path, O_RDONLY | O_CLOEXEC);
}

// The first number is how long the thread has run, the third how often it has been given a processor.
static bool read_activity(struct thread *thread, uint64_t *activity) {
    char text[96];
    ssize_t length = pread(thread->schedule, text, sizeof(text) - 1, 0);
    if (length <= 0) return false;
    text[length] = 0;
    char *end;
    uint64_t time = strtoull(text, &end, 10);
    strtoull(end, &end, 10);
    *activity = time + strtoull(end, NULL, 10);
    return true;
}

static void forget(size_t index) {
    if (threads[index].state >= 0) libc()->close(threads[index].state);
    if (threads[index].schedule >= 0) libc()->close(threads[index].schedule);
    threads[index] = threads[--thread_count];
}

static struct thread *thread_with(int32_t id) {
    for (size_t i = 0; i < thread_count; i++) {
        if (threads[i].id == id) return &threads[i];
    }
    if (thread_count == thread_capacity) {
        size_t capacity = thread_capacity ? 2 * thread_capacity : 64;
        struct thread *more = realloc(threads, capacity * sizeof(struct thread));
        if (!more) return NULL;
        threads = more, thread_capacity = capacity;
    }
    struct thread *thread = &threads[thread_count];
    *thread = (struct thread){.id = id, .state = open_file(id, "stat"), .schedule = open_file(id, "schedstat")};
    read_activity(thread, &thread->activity_before);
    thread_count++;
    return thread;
}

struct linux_dirent64 {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

// Lists the threads. True when one has begun or ended.
static bool list_threads(void) {
    if (folder < 0 || folder_of != getpid()) {
        while (thread_count > 0) forget(thread_count - 1);
        if (folder >= 0) libc()->close(folder);
        folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        folder_of = getpid();
    }
    for (size_t i = 0; i < thread_count; i++) threads[i].is_there = false;
    bool has_changed = false;
    lseek(folder, 0, SEEK_SET);
    char buffer[4096];
    long length;
    while ((length = libc()->syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0) {
        for (long place = 0; place < length;) {
            struct linux_dirent64 *entry = (struct linux_dirent64 *)(buffer + place);
            place += entry->length;
            int32_t id = (int32_t)strtol(entry->name, NULL, 10);
            if (id <= 0) continue;
            size_t before = thread_count;
            struct thread *thread = thread_with(id);
            if (!thread) return true;
            thread->is_there = true;
            has_changed |= thread_count != before;
        }
    }
    for (size_t i = thread_count; i-- > 0;) {
        if (threads[i].is_there) continue;
        forget(i);
        has_changed = true;
    }
    return has_changed;
}

static bool is_asleep(const struct thread *thread) {
    char text[128];
    ssize_t length = pread(thread->state, text, sizeof(text) - 1, 0);
    if (length <= 0) return false;
    text[length] = 0;
    // The name stands in parentheses and may contain any character.
    char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'S';
}

static void move_to_front(size_t index) {
    struct thread thread = threads[index];
    memmove(&threads[1], &threads[0], index * sizeof(struct thread));
    threads[0] = thread;
}

// Makes the second and the third pass; the third pass of the call before is the first.
static bool is_at_rest(int32_t own) {
    if (list_threads()) {
        for (size_t i = 0; i < thread_count; i++) read_activity(&threads[i], &threads[i].activity);
        return false;
    }
    for (size_t i = 0; i < thread_count; i++) {
        if (threads[i].id == own || is_asleep(&threads[i])) continue;
        atomic_store(&running_thread, threads[i].id);
        // What runs now is likely to run next time, so it is examined first.
        move_to_front(i);
        return false;
    }
    bool is_unchanged = true;
    for (size_t i = 0; i < thread_count; i++) {
        uint64_t activity = 0;
        if (threads[i].id == own) continue;
        if (!read_activity(&threads[i], &activity) || activity != threads[i].activity) is_unchanged = false;
        threads[i].activity = activity;
    }
    return is_unchanged;
}

uint64_t process_clock_activity(void) {
    int32_t own = (int32_t)libc()->syscall(SYS_gettid);
    pthread_mutex_lock(&looking);
    uint64_t activity = thread_count;
    for (size_t i = 0; i < thread_count; i++) activity += threads[i].id == own ? 0 : threads[i].activity;
    pthread_mutex_unlock(&looking);
    return activity;
}

// Finds the awake thread that has run most since this settling began. The others may only wait for a processor.
static void find_busiest_thread(int32_t own) {
    uint64_t most = 0;
    for (size_t i = 0; i < thread_count; i++) {
        uint64_t activity = 0;
        if (threads[i].id == own || is_asleep(&threads[i]) || !read_activity(&threads[i], &activity)) continue;
        if (activity - threads[i].activity_before <= most) continue;
        most = activity - threads[i].activity_before;
        atomic_store(&running_thread, threads[i].id);
    }
}

int process_clock_settle(int64_t limit) {
    int32_t own = (int32_t)libc()->syscall(SYS_gettid);
    int64_t start = process_clock_machine_time();
    clock_lock();
    lock_waits_retry();
    clock_unlock();
    pthread_mutex_lock(&looking);
    int result = 0;
    if (atomic_load(&running_since) == 0) atomic_store(&running_since, start);
    for (size_t i = 0; i < thread_count; i++) threads[i].activity_before = threads[i].activity;
    for (int64_t passes = 1; !is_at_rest(own); passes++) {
        if (process_clock_machine_time() - start > limit) {
            result = ETIMEDOUT;
            find_busiest_thread(own);
            break;
        }
        // What runs needs this processor, and what runs for long is examined less often.
        if (passes < 200) sched_yield();
        else process_clock_machine_sleep(passes < 1000 ? 20000 : 1000000);
    }
    if (result == 0) {
        atomic_store(&running_thread, 0);
        atomic_store(&running_since, 0);
    }
    pthread_mutex_unlock(&looking);
    return result;
}

#endif
