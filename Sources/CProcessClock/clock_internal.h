// The layers of the process clock, lowest first: a section for each file. A file calls only files whose sections come
// before its own; this includes calls by libc's names, such as `close`. Scripts/c-checks reads the order from the
// marks, and checks the calls, and that each function is declared in the section of its file.
//
// "With the lock held" means the lock of clock_state.c. Its holder calls only functions whose comments have these
// words, those of clock_libc.c except process_clock_machine_sleep, and libc's own that do not block and are no
// cancellation points.
//
// A waiting thread has a `struct wait`, which is in memory that is never unmapped. A step may therefore use the wait
// whatever has become of the thread and its stack:
//
//   free ─ wait_new ─> taken ─ wait_begin ─> entered ─ wait_wake ─> taken ─ wait_end ─> free
//
// - Only an entered wait is in the list. `fire` uses the wait, its descriptor, and the address of its object, which it
//   never reads.
// - A step (wait_has_expired) or a release (wait_was_woken) ends a wait, and takes it out of the list. The one that
//   sets the state first, under the lock, decides what the wait returns.
// - A handler that interrupts the thread makes wait_sleep return EINTR, whatever its flags. What the handler waits for
//   is a wait of its own, whose `outer` is the interrupted one.
// - A cancelled thread calls wait_end from a cleanup handler. A thread that jumps out of a signal handler does not: its
//   next wait_new finds that the wait belongs to a frame that has gone, and frees it. Until then the wait may fire,
//   which has no effect.
// - No handler and no cancellation interrupts a holder of the lock, because all signals are blocked meanwhile, including
//   the one with which libc cancels a thread at any instruction. So a handler can call everything that is
//   async-signal-safe in libc, and a cancelled thread ends with the signals that it had.
// - A child finds zeros in place of its parent's lock, list, tables and state "virtual": the kernel wipes these pages
//   in each child that does not share its parent's memory. The child's time is therefore the machine's, nothing is
//   locked, and no wait is entered.
//
// A timer's descriptor is a number in the table, which leads to a `struct timer`. The timer lives as long as a number
// leads to it; its memory is never unmapped either. A number whose file is no timer any more, because it was closed by
// a call that is not seen here, is taken out of the table when it is found.
#ifndef CLOCK_INTERNAL_H
#define CLOCK_INTERNAL_H

#include "CProcessClock.h"

#if defined(__linux__)
#include <features.h>
#endif

// With CLOCK_WITH_SANITIZER, time can be virtual in spite of a sanitizer. Scripts/c-checks defines it, because the
// program that it builds uses the functions of these files instead of those of the address sanitizer.
#if defined(__has_feature) && !defined(CLOCK_WITH_SANITIZER)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
// A sanitizer itself replaces most of the functions that these files replace.
#define CLOCK_IS_UNAVAILABLE 1
#endif
#endif
#if !defined(__linux__) || !defined(__GLIBC__)
#define CLOCK_IS_UNAVAILABLE 1
#endif

#ifndef CLOCK_IS_UNAVAILABLE

#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <poll.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define FOREVER INT64_MAX

// MARK: clock_libc.c

// One row for each function that is replaced: its result, name and parameters.
#define CLOCK_FUNCTIONS(F)                                                                                             \
    F(int, open, (const char *, int, ...))                                                                             \
    F(int, open64, (const char *, int, ...))                                                                           \
    F(int, openat, (int, const char *, int, ...))                                                                      \
    F(int, openat64, (int, const char *, int, ...))                                                                    \
    F(FILE *, fopen, (const char *, const char *))                                                                     \
    F(FILE *, fopen64, (const char *, const char *))                                                                   \
    F(int, clock_gettime, (clockid_t, struct timespec *))                                                              \
    F(int, clock_settime, (clockid_t, const struct timespec *))                                                        \
    F(int, gettimeofday, (struct timeval *, void *))                                                                   \
    F(int, settimeofday, (const struct timeval *, const struct timezone *))                                            \
    F(int, clock_nanosleep, (clockid_t, int, const struct timespec *, struct timespec *))                              \
    F(int, sem_post, (sem_t *))                                                                                        \
    F(int, sem_timedwait, (sem_t *, const struct timespec *))                                                          \
    F(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))                                               \
    F(int, pthread_cond_signal, (pthread_cond_t *))                                                                    \
    F(int, pthread_cond_broadcast, (pthread_cond_t *))                                                                 \
    F(int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                     \
    F(int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))          \
    F(int, pthread_mutex_unlock, (pthread_mutex_t *))                                                                  \
    F(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))                                      \
    F(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *))                           \
    F(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                                                \
    F(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))                                  \
    F(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))                                  \
    F(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))                       \
    F(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))                       \
    F(int, poll, (struct pollfd *, nfds_t, int))                                                                       \
    F(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))                                \
    F(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *))                                              \
    F(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))                    \
    F(int, epoll_wait, (int, struct epoll_event *, int, int))                                                          \
    F(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))                                       \
    F(int, epoll_pwait2, (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))                  \
    F(int, timerfd_create, (int, int))                                                                                 \
    F(int, timerfd_settime, (int, int, const struct itimerspec *, struct itimerspec *))                                \
    F(int, timerfd_gettime, (int, struct itimerspec *))                                                                \
    F(ssize_t, read, (int, void *, size_t))                                                                            \
    F(int, close, (int))                                                                                               \
    F(int, close_range, (unsigned, unsigned, int))                                                                     \
    F(int, dup, (int))                                                                                                 \
    F(int, dup2, (int, int))                                                                                           \
    F(int, dup3, (int, int, int))                                                                                      \
    F(int, fcntl, (int, int, ...))                                                                                     \
    F(int, fcntl64, (int, int, ...))                                                                                   \
    F(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *))                                     \
    F(int, mq_timedsend, (mqd_t, const char *, size_t, unsigned, const struct timespec *))                             \
    F(ssize_t, mq_timedreceive, (mqd_t, char *, size_t, unsigned *, const struct timespec *))                          \
    F(int, semtimedop, (int, struct sembuf *, size_t, const struct timespec *))                                        \
    F(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *))                                        \
    F(int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *))                             \
    F(int, sysinfo, (struct sysinfo *))                                                                                \
    F(clock_t, times, (struct tms *))                                                                                  \
    F(int, __poll_chk, (struct pollfd *, nfds_t, int, size_t))                                                         \
    F(int, __ppoll_chk, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t))                  \
    F(ssize_t, __read_chk, (int, void *, size_t, size_t))                                                              \
    F(long, syscall, (long, ...))                                                                                      \
    F(void, dispatch_source_set_timer, (void *, uint64_t, uint64_t, uint64_t))                                         \
    F(void, dispatch_source_set_event_handler_f, (void *, void (*)(void *)))

#define CLOCK_POINTER(result, name, parameters) result(*name) parameters;
// libc's own functions, found before `main` or at the first call.
struct libc_functions {
    CLOCK_FUNCTIONS(CLOCK_POINTER)
};
#undef CLOCK_POINTER
const struct libc_functions *libc(void);

// Makes a futex call with libc's own `syscall`, and not with the function that replaces it.
long futex(void *word, int operation, uint32_t value, const struct timespec *timeout);
// Makes a futex call that waits until an instant that is never reached. Unlike a call without an instant, such a call
// is not restarted by the kernel after a signal handler.
long futex_for_ever(void *word, int operation, uint32_t value, uint32_t bits);

// Make system calls by their numbers, because libc's functions are cancellation points. A thread that ended in one of
// them would keep the lock, or a descriptor that it has not noted or closed. `open_at_once` adds O_CLOEXEC.
int open_at_once(const char *path, int flags, mode_t mode);
ssize_t read_at_once(int descriptor, void *buffer, size_t size);
void close_at_once(int descriptor);
// Whether the descriptor is readable, has an error, or is not open.
bool is_readable_at_once(int descriptor);

// The size of the largest page that any kernel for the processor uses.
#if defined(__x86_64__)
#define CLOCK_PAGE 4096
#else
#define CLOCK_PAGE 65536
#endif
// Marks a static variable without an initial value, which is zero in children.
#define ZERO_IN_CHILDREN _Alignas(CLOCK_PAGE)
// Lets the kernel zero the variable in children; a constructor calls it for each such variable.
void zero_in_children(void *variable, size_t size);
// Whether the kernel can zero memory in children.
bool children_are_separate(void);

enum { descriptor_capacity = 65536 };
// The clock's own descriptors are closed in children, and only by the clock. `own_descriptor` returns -1 for a
// descriptor that it cannot keep; process_clock_lacks_descriptors reports whether the reason was that no number was
// free.
int own_descriptor(int descriptor);
bool is_own_descriptor(int descriptor);
void close_own_descriptor(int descriptor);

// Calls `use` with each number that is a name in an open folder, until `use` returns false.
void for_each_number(int folder, bool (*use)(int32_t, void *), void *argument);

int64_t saturating_sum(int64_t one, int64_t other);
int64_t nanoseconds(const struct timespec *time);
struct timespec timespec_of(int64_t nanoseconds);

// MARK: clock_thread_files.c

// Reads a thread's `schedstat`: its processor time plus the number of its turns, a sum without a unit that is only
// compared. Returns false if the thread has ended.
bool thread_activity(int schedule, uint64_t *activity);
// Reads the state from a thread's `stat`: R, S, D …; 0 if the thread has ended.
char thread_state(int state);
// Reads a thread's `wchan`, in which the kernel names the place where the thread sleeps. The state alone is not enough,
// because a thread that is about to sleep already has the state of a sleeping one, even while it is on a processor or
// waits for one. An example is `wait4` while it collects a child that has ended.
bool thread_is_off_processor(int place);
// What the kernel says about a process; zeros when there is none, or its file cannot be opened (errno). The identity is
// the process's number with the time at which it began, because numbers are reused. `parent` is a number.
struct process_state {
    char state;
    int parent;
    uint64_t identity;
};
struct process_state process_state(int process);
static inline int process_of(uint64_t identity) { return (int)(uint32_t)identity; }
// Returns why the kernel's files on this machine cannot show that threads are at rest; NULL if they can.
const char *thread_files_obstacle(void);

// MARK: file_protection.c

// MARK: clock_state.c

// A wait with a deadline, of a thread or of a timer descriptor.
struct wait {
    struct wait *next, *previous;
    // The number of the virtual time in which the wait was put into the list of waits; 0 if the wait is in no list. In
    // a forked child, it may be the number of an ancestor's virtual time; the wait is then not in the child's list.
    uint64_t entered_in;
    enum process_clock_id clock;
    int64_t deadline;
    // The wait's place in the order in which waits were entered, which decides between waits that are due at the same
    // time.
    uint64_t order;
    const char *call;
    int32_t thread;
    // Called with the lock held, after the wait has left the list.
    void (*fire)(struct wait *);
    // Returns the latest instant at which a wait with this deadline may end. Called with the lock held. The pointer is
    // NULL if the wait must end at its deadline.
    int64_t (*latest)(int64_t deadline);
    // The semaphore, condition or word of memory that is waited for.
    void *object;
    // Points to the number of waits for such objects, including this one; NULL if they are not counted.
    atomic_int *counter;
    // `wait_is_pending`, or the reason for which the wait has ended. The thread sleeps on this word, as a futex.
    atomic_int state;
    // Set for a wait whose releases are not all seen, such as one for a lock: the thread tries again when the process
    // is at rest.
    bool is_for_lock;
    // Set for a wait of which no release is seen: the thread tries again after naps in the machine's time, and when the
    // process is at rest.
    bool naps;
    // The last nap, in nanoseconds.
    int64_t nap;
    // Set where a handler with SA_RESTART does not end the wait.
    bool is_restarted;
    // For a thread's wait for descriptors: an eventfd that is waited for too, and is written to at the deadline. For a
    // timer: one of its descriptors. Otherwise -1.
    int descriptor;
    // For a wait for a word of memory: the private flag of its futex, and how much the thread had run when it was last
    // woken again.
    int flags;
    int64_t activity;
    // For a thread's wait: the unfinished wait of the same thread during which this one began, or NULL; and the
    // stack frame in which this one was made.
    struct wait *outer;
    void *frame;
};

enum { wait_is_pending = 0, wait_has_expired = 1, wait_was_woken = 2 };

void clock_lock(void);
void clock_unlock(void);

bool clock_is_virtual(void);
// Makes time virtual. Returns false if it was virtual already.
bool clock_make_virtual(void);
// The readings of the clocks. They are written with the lock held, and read with or without it. The array fills a page,
// which several processes may share.
extern _Atomic int64_t clock_readings[CLOCK_PAGE / sizeof(int64_t)];
// With the lock held: moves each clock by its duration; other processes may do so at the same time.
void clock_move(int64_t uptime, int64_t continuous, int64_t wall);
// Finds the clock for a number of `clock_gettime`. Returns false for clocks that do not show time, such as that of the
// processor.
bool clock_of(clockid_t id, enum process_clock_id *clock);
// With the lock held: notes that the process is awake at this instant.
void clock_woken(void);

// Makes a wait for the calling thread, which must free it with wait_end. Aborts if there is no memory.
struct wait *wait_new(
    const char *call, enum process_clock_id clock, int64_t deadline, void *object, void (*fire)(struct wait *));
// Enters a wait, unless it is due; returns whether the wait was entered.
bool wait_begin(struct wait *wait);
// Notes that the caller got nothing from a wait with a time-out of zero. After many such waits of a thread at one
// instant, the clocks move by a nanosecond. Some programs, such as Ruby, repeat a wait until the clock is past the
// deadline, and not only at it.
void waited_in_vain(void);
// Takes a wait out of the list, if the list still contains it.
void wait_pause(struct wait *wait);
// Takes a `struct wait` out of the list, if the list still contains it, closes its descriptor, and frees it. Used as a
// cleanup handler.
void wait_end(void *wait);
// With the lock held: wait_enter puts a wait into the list, even if it is due, and wait_leave takes it out.
void wait_enter(struct wait *wait);
void wait_leave(struct wait *wait);
bool wait_is_entered(const struct wait *wait);
// With the lock held, at rest: returns the wait that is due first, and the time until then in `left` (negative if it is
// overdue); NULL without waits. A wait that may be late is due at its latest instant, or earlier at an instant at which
// the process is awake anyway.
struct wait *wait_earliest(int64_t *left);
// With the lock held: returns the first wait for which `matches` is true, or NULL.
struct wait *wait_find(bool (*matches)(const struct wait *, const void *), const void *argument);

// Sleeps on the wait's own word until the wait is no longer pending, or a nap is over. Called without the lock. Returns
// EINTR if a signal handler ran, or else 0. The thread can be cancelled meanwhile if the caller is a cancellation
// point.
int wait_sleep(struct wait *wait, bool is_cancellation_point);
// With the lock held: takes a wait out of the list, and ends its sleep.
void wait_wake(struct wait *wait, int reason);

// MARK: run_loop_timers.c

// Asks Foundation for the dates of its timers. Called at rest, without the lock.
void run_loop_timers_examine(void);
// With the lock held: returns the instant of uptime until which a run loop's descriptor that is set to `deadline` may
// be late.
int64_t run_loop_timers_latest(int64_t deadline);
// Whether the address is in the code of Foundation's run loops.
bool is_called_by_run_loops(void *caller);

// MARK: clock_threads.c

// The next three functions are called at rest, without the lock.
//
// Wakes again the threads whose wait for a word of memory has expired. A signal handler may have delayed such a
// thread, so that it began the kernel's wait only after the first wake-up. A thread is woken again only if it has run
// since it was last woken. Returns false if none was woken.
bool waits_wake_again(void);
// Whether a thread waits for something that a call may release unseen, as pthread_cond_wait releases a mutex.
bool waits_may_be_released(void);
// Wakes the threads that wait for such things, so that they try again. Returns false if there are none.
bool waits_try_again(void);
// Returns the number of waits that have ended because their thread tried again. What that thread does next may release
// another such wait.
uint64_t waits_released_unseen(void);
// Points to a function that returns whether the calling thread's short sleeps, and its waits for conditions, use the
// machine's time. NULL if no thread uses that time.
extern bool (*thread_keeps_machine_time)(void);
// Returns whether a futex call waits until an instant.
bool is_futex_until(int operation, const struct timespec *time);
long futex_until(void *word, int operation, uint32_t value, const struct timespec *time, uint32_t bits);
// Waits for something that is released by calls that are not seen here. While `attempt` returns EBUSY, it is called
// again after naps of 1 to 32 ms of the machine's time. Returns ETIMEDOUT, EINTR, or what the attempt returns.
int wait_by_napping(
    const char *call, enum process_clock_id clock, int64_t deadline, int (*attempt)(void *), void *argument,
    bool is_cancellation_point);
// Waits like wait_by_napping until an instant of the wall clock, but calls `attempt` again only when the process is at
// rest. The caller is a cancellation point, and the wait continues after a signal handler with SA_RESTART.
int wait_by_trying(const char *call, int64_t deadline, int (*attempt)(void *), void *argument);

// MARK: clock_descriptors.c

// With the lock held: takes over timers that were set before time was virtual, or that the process has inherited.
void timer_descriptors_convert(void);
// With the lock held: reports to timers that asked for it that the wall clock was set.
void timer_descriptors_cancel_on_set(void);

// MARK: clock_calls.c

// MARK: clock_flight.c

// Makes the kernel deliver, as far as possible, what one thread of the process has written for another. Called without
// the lock. Returns true if nothing more is on its way. If `has_delivered` is then true, the caller must examine the
// threads once more.
bool data_has_arrived(bool *has_delivered);

// MARK: clock_idle.c

// Does the same as process_clock_settle, but returns ECANCELED as soon as `unless` is greater than 0.
int settle_unless(int64_t limit, const atomic_int *unless);
// Returns the sum of how much the other threads had run at the last examination. Called without the lock.
uint64_t process_clock_activity(void);

// MARK: clock_dispatch.c

// Switches off Dispatch's timer.
void dispatch_monitor_begin(void);
// With the lock held: returns the time until the next examination; FOREVER if none is needed.
int64_t dispatch_monitor_left(void);
// With the lock held: notes that something runs again.
void dispatch_monitor_continue(void);
// Makes Dispatch examine its workers, and then settles with settle_unless. Called without the lock.
int dispatch_monitor_examine(int64_t limit, const atomic_int *unless);

// The headers in include/ declare what these files define, except for `app_launcher_main`.
// MARK: clock_step.c
// MARK: clock_unavailable.c
// MARK: run_loop.c
// MARK: test_process.c
// MARK: app_output.c
// MARK: app_launcher.c

// Forks a process for each request of the test's process. Returns only in the forked processes, with the offset of the
// function to run.
uint64_t app_launcher_main(void);

// MARK: clock_start.c

#endif
#endif
