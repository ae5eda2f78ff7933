// Finds out whether anything in the process can run.
//
// A thread is asleep when its state is S and the kernel says where it sleeps. Three passes show that all threads are
// asleep at one instant. The first and the third pass read how much each thread has run, and the second pass reads
// whether it is asleep. If the first and the third pass agree, no thread has run in between. All threads were then
// asleep together, because only a running thread wakes another one. How much a thread has run is its processor time
// plus the number of its turns on a processor. The turns alone are not enough: a thread may run at the first pass, wake
// another thread that still waits for a processor, and fall asleep in the same turn. After the passes, data that the
// kernel carries within the process must have arrived (clock_flight.c). A wake-up by another process is not foreseen.
//
// Owns the table of threads with their open files, under a mutex of its own, which is never held with the clock's lock.
// The thread that has the mutex cannot be cancelled. A child inherits none of this.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

struct thread {
    int32_t id;
    int state, schedule, place;  // the descriptors of its files
    uint64_t activity, activity_before;  // how much it has run: at the last pass; when this settling, or it, began
    bool is_there;
};

static struct {
    // A mutex whose bytes are zero is free, so the mutex is free in a child.
    ZERO_IN_CHILDREN pthread_mutex_t looking;
    // The cancellation state that the thread which holds the mutex had before it took the mutex.
    int cancel_state;
    struct thread *threads;
    size_t thread_count, thread_capacity;
    int folder;
    bool is_open;
    // 0: not found out yet; 1: time cannot be virtual; 2: it can.
    atomic_int availability;
    atomic_int running_thread;
    atomic_int_least64_t running_since;
} own;

__attribute__((constructor(101))) static void be_separate(void) { zero_in_children(&own, sizeof own); }

// MARK: Whether it can be found out

bool process_clock_is_available(void) {
    if (atomic_load(&own.availability) == 0)
        atomic_store(&own.availability, children_are_separate() && !thread_files_obstacle() ? 2 : 1);
    return atomic_load(&own.availability) == 2;
}

// MARK: The threads

int32_t process_clock_running_thread(void) { return atomic_load(&own.running_thread); }

int64_t process_clock_running_for(void) {
    int64_t since = atomic_load(&own.running_since);
    return since ? process_clock_machine_time() - since : 0;
}

static int open_file(int32_t thread, const char *name) {
    char path[64];
    snprintf(path, sizeof(path), "%d/%s", thread, name);
    return own_descriptor(openat(own.folder, path, O_RDONLY | O_CLOEXEC));
}

static void close_files(const struct thread *thread) {
    close_own_descriptor(thread->state);
    close_own_descriptor(thread->schedule);
    close_own_descriptor(thread->place);
}

static void forget(size_t index) {
    close_files(&own.threads[index]);
    own.threads[index] = own.threads[--own.thread_count];
}

// Returns the row of a thread, which is added if it is new; NULL if the thread has ended, or memory or a descriptor is
// lacking.
static struct thread *thread_with(int32_t id) {
    for (size_t i = 0; i < own.thread_count; i++) {
        if (own.threads[i].id == id) return &own.threads[i];
    }
    if (own.thread_count == own.thread_capacity) {
        size_t capacity = own.thread_capacity ? 2 * own.thread_capacity : 64;
        struct thread *more = realloc(own.threads, capacity * sizeof(struct thread));
        if (!more) return NULL;
        own.threads = more, own.thread_capacity = capacity;
    }
    struct thread thread = {
        .id = id, .state = open_file(id, "stat"), .schedule = open_file(id, "schedstat"),
        .place = open_file(id, "wchan")};
    if (!thread_activity(thread.schedule, &thread.activity_before) || thread.state < 0 || thread.place < 0) {
        close_files(&thread);
        return NULL;
    }
    own.threads[own.thread_count] = thread;
    return &own.threads[own.thread_count++];
}

struct listing {
    bool has_changed, fails;
};

static bool list_thread(int32_t id, void *argument) {
    struct listing *listing = argument;
    size_t before = own.thread_count;
    struct thread *thread = thread_with(id);
    listing->has_changed |= own.thread_count != before;
    if (thread) thread->is_there = true;
    else atomic_store(&own.running_thread, id), listing->fails = true;
    return thread != NULL;
}

// Lists the threads. Returns true if one has begun or ended, or if they cannot be listed.
static bool list_threads(void) {
    if (!own.is_open) {
        own.folder = own_descriptor(open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        own.is_open = own.folder >= 0;
        if (!own.is_open) atomic_store(&own.running_thread, (int)libc()->syscall(SYS_getpid));
        if (!own.is_open) return true;
    }
    for (size_t i = 0; i < own.thread_count; i++) own.threads[i].is_there = false;
    struct listing listing = {false, false};
    for_each_number(own.folder, list_thread, &listing);
    if (listing.fails) return true;
    for (size_t i = own.thread_count; i-- > 0;) {
        if (own.threads[i].is_there) continue;
        forget(i);
        listing.has_changed = true;
    }
    return listing.has_changed;
}

// The main thread stays as a zombie when it has ended before the others.
static bool is_asleep(const struct thread *thread) {
    char state = thread_state(thread->state);
    return state == 'Z' || (state == 'S' && thread_is_off_processor(thread->place));
}

static void move_to_front(size_t index) {
    struct thread thread = own.threads[index];
    memmove(&own.threads[1], &own.threads[0], index * sizeof(struct thread));
    own.threads[0] = thread;
}

// Makes the second and the third pass; the third pass of the previous call serves as the first.
static bool is_at_rest(int32_t caller) {
    if (list_threads()) {
        for (size_t i = 0; i < own.thread_count; i++)
            thread_activity(own.threads[i].schedule, &own.threads[i].activity);
        return false;
    }
    for (size_t i = 0; i < own.thread_count; i++) {
        if (own.threads[i].id == caller || is_asleep(&own.threads[i])) continue;
        atomic_store(&own.running_thread, own.threads[i].id);
        // A thread that runs now is likely to run at the next examination, which therefore begins with it.
        move_to_front(i);
        return false;
    }
    bool is_unchanged = true;
    for (size_t i = 0; i < own.thread_count; i++) {
        uint64_t activity = 0;
        if (own.threads[i].id == caller) continue;
        bool is_read = thread_activity(own.threads[i].schedule, &activity);
        if (!is_read || activity != own.threads[i].activity) is_unchanged = false;
        own.threads[i].activity = activity;
    }
    return is_unchanged;
}

// Takes the mutex. Returns false if another thread keeps the mutex until `end`, an instant of the machine's time.
static bool begin_looking(int64_t end) {
    struct timespec time = timespec_of(end);
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    bool is_taken = (end == FOREVER ? pthread_mutex_lock(&own.looking)
                                    : libc()->pthread_mutex_clocklock(&own.looking, CLOCK_MONOTONIC, &time))
        == 0;
    if (is_taken) own.cancel_state = cancel_state;
    else pthread_setcancelstate(cancel_state, NULL);
    return is_taken;
}

static void end_looking(void) {
    int cancel_state = own.cancel_state;
    libc()->pthread_mutex_unlock(&own.looking);
    pthread_setcancelstate(cancel_state, NULL);
}

uint64_t process_clock_activity(void) {
    int32_t caller = (int32_t)libc()->syscall(SYS_gettid);
    begin_looking(FOREVER);
    uint64_t activity = own.thread_count;
    for (size_t i = 0; i < own.thread_count; i++) activity += own.threads[i].id == caller ? 0 : own.threads[i].activity;
    end_looking();
    return activity;
}

// Finds the awake thread that has run most since this settling began. Other awake threads may merely be waiting for a
// processor.
static void find_busiest_thread(int32_t caller) {
    uint64_t most = 0;
    for (size_t i = 0; i < own.thread_count; i++) {
        uint64_t activity = 0;
        struct thread *thread = &own.threads[i];
        if (thread->id == caller || is_asleep(thread) || !thread_activity(thread->schedule, &activity)) continue;
        if (activity - own.threads[i].activity_before <= most) continue;
        most = activity - own.threads[i].activity_before;
        atomic_store(&own.running_thread, own.threads[i].id);
    }
}

static bool nothing_runs(int32_t thread) {
    bool has_delivered = false;
    return is_at_rest(thread) && data_has_arrived(&has_delivered) && (!has_delivered || is_at_rest(thread));
}

// Makes threads try again if their waits may have been released since the last attempt. Returns false if no thread was
// woken.
static bool some_wait_again(uint64_t *tried) {
    bool is_any = waits_wake_again();
    uint64_t releases = waits_released_unseen();
    if (releases != *tried) is_any |= waits_try_again();
    *tried = releases;
    return is_any;
}

int settle_unless(int64_t limit, const atomic_int *unless) {
    int32_t thread = (int32_t)libc()->syscall(SYS_gettid);
    int64_t start = process_clock_machine_time();
    uint64_t tried = UINT64_MAX;
    if (!begin_looking(saturating_sum(start, limit))) return ETIMEDOUT;
    int result = 0;
    if (atomic_load(&own.running_since) == 0) atomic_store(&own.running_since, start);
    for (size_t i = 0; i < own.thread_count; i++) own.threads[i].activity_before = own.threads[i].activity;
    for (int64_t passes = 1; !nothing_runs(thread) || some_wait_again(&tried); passes++) {
        if (unless && atomic_load(unless) > 0) {
            result = ECANCELED;
            break;
        }
        if (process_clock_machine_time() - start > limit) {
            result = ETIMEDOUT;
            find_busiest_thread(thread);
            break;
        }
        // The running thread needs this processor. After many passes the examinations become rarer.
        if (passes < 200) sched_yield();
        else process_clock_machine_sleep(passes < 1000 ? 20000 : 1000000);
    }
    if (result == 0) {
        atomic_store(&own.running_thread, 0);
        atomic_store(&own.running_since, 0);
    }
    end_looking();
    return result;
}

int process_clock_settle(int64_t limit) { return settle_unless(limit, NULL); }

#endif
