#define _GNU_SOURCE
#include "CWaitingCalls.h"

#ifdef __linux__
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

void name_this_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

static struct timespec span(int64_t nanoseconds) {
    return (struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000};
}

static struct timespec later(clockid_t clock, int64_t nanoseconds) {
    struct timespec now;
    clock_gettime(clock, &now);
    return span(now.tv_sec * 1000000000LL + now.tv_nsec + nanoseconds);
}

// Returns 0 for a call that ended because of its time-out.
static int ended(int result) { return result == -1 && errno == ETIMEDOUT ? 0 : 1; }
static int ended_with_eagain(int result) { return result == -1 && errno == EAGAIN ? 0 : 1; }
static int timed_out(int error) { return error == ETIMEDOUT ? 0 : 1; }

// MARK: Sleeps

static int call_nanosleep(int64_t time) {
    struct timespec duration = span(time);
    return nanosleep(&duration, NULL);
}
static int call_usleep(int64_t time) { return usleep((useconds_t)(time / 1000)); }
static int call_sleep(int64_t time) { return (int)sleep((unsigned)(time / 1000000000)); }
static int call_thrd_sleep(int64_t time) {
    struct timespec duration = span(time);
    return thrd_sleep(&duration, NULL);
}
static int call_clock_nanosleep(int64_t time) {
    struct timespec duration = span(time);
    return clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, NULL);
}
static int sleep_until(clockid_t clock, int64_t time) {
    struct timespec deadline = later(clock, time);
    return clock_nanosleep(clock, TIMER_ABSTIME, &deadline, NULL);
}
static int call_clock_nanosleep_monotonic(int64_t time) { return sleep_until(CLOCK_MONOTONIC, time); }
static int call_clock_nanosleep_boottime(int64_t time) { return sleep_until(CLOCK_BOOTTIME, time); }
static int call_clock_nanosleep_realtime(int64_t time) { return sleep_until(CLOCK_REALTIME, time); }
static int call_syscall_nanosleep(int64_t time) {
    struct timespec duration = span(time);
    return (int)syscall(SYS_nanosleep, &duration, NULL);
}

// MARK: Semaphores and conditions

static int call_sem_timedwait(int64_t time) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    struct timespec deadline = later(CLOCK_REALTIME, time);
    return ended(sem_timedwait(&semaphore, &deadline));
}
static int call_sem_clockwait(int64_t time) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    struct timespec deadline = later(CLOCK_MONOTONIC, time);
    return ended(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &deadline));
}
static int wait_for_condition(clockid_t clock, int64_t time, int says_clock) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    if (!says_clock) pthread_condattr_setclock(&attributes, clock);
    pthread_cond_init(&condition, &attributes);
    struct timespec deadline = later(clock, time);
    pthread_mutex_lock(&mutex);
    int error = says_clock ? pthread_cond_clockwait(&condition, &mutex, clock, &deadline)
                           : pthread_cond_timedwait(&condition, &mutex, &deadline);
    pthread_mutex_unlock(&mutex);
    return timed_out(error);
}
static int call_pthread_cond_timedwait(int64_t time) { return wait_for_condition(CLOCK_REALTIME, time, 0); }
static int call_pthread_cond_timedwait_monotonic(int64_t time) { return wait_for_condition(CLOCK_MONOTONIC, time, 0); }
static int call_pthread_cond_clockwait(int64_t time) { return wait_for_condition(CLOCK_MONOTONIC, time, 1); }
static int call_cnd_timedwait(int64_t time) {
    mtx_t mutex;
    cnd_t condition;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    struct timespec deadline = later(CLOCK_REALTIME, time);
    mtx_lock(&mutex);
    int result = cnd_timedwait(&condition, &mutex, &deadline);
    mtx_unlock(&mutex);
    return result == thrd_timedout ? 0 : 1;
}

// MARK: Locks, held by another thread for ever

static pthread_mutex_t held_mutex = PTHREAD_MUTEX_INITIALIZER;
static mtx_t held_c11_mutex;
static pthread_rwlock_t held_for_reading = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t held_for_writing = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *hold(void *held) {
    mtx_init(&held_c11_mutex, mtx_timed);
    pthread_mutex_lock(&held_mutex);
    mtx_lock(&held_c11_mutex);
    pthread_rwlock_rdlock(&held_for_reading);
    pthread_rwlock_wrlock(&held_for_writing);
    sem_post(held);
    while (1) pause();
    return NULL;
}
static void start_holder(void) {
    sem_t held;
    sem_init(&held, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, hold, &held);
    sem_wait(&held);
}

#define LOCK_CALL(function, lock)                                                                                      \
    static int call_##function(int64_t time) {                                                                         \
        pthread_once(&once, start_holder);                                                                             \
        struct timespec deadline = later(CLOCK_REALTIME, time);                                                        \
        return timed_out(function(&lock, &deadline));                                                                  \
    }
#define CLOCK_LOCK_CALL(function, lock)                                                                                \
    static int call_##function(int64_t time) {                                                                         \
        pthread_once(&once, start_holder);                                                                             \
        struct timespec deadline = later(CLOCK_MONOTONIC, time);                                                       \
        return timed_out(function(&lock, CLOCK_MONOTONIC, &deadline));                                                 \
    }
LOCK_CALL(pthread_mutex_timedlock, held_mutex)
CLOCK_LOCK_CALL(pthread_mutex_clocklock, held_mutex)
LOCK_CALL(pthread_rwlock_timedrdlock, held_for_writing)
LOCK_CALL(pthread_rwlock_timedwrlock, held_for_reading)
CLOCK_LOCK_CALL(pthread_rwlock_clockrdlock, held_for_writing)
CLOCK_LOCK_CALL(pthread_rwlock_clockwrlock, held_for_reading)
static int call_mtx_timedlock(int64_t time) {
    pthread_once(&once, start_holder);
    struct timespec deadline = later(CLOCK_REALTIME, time);
    return mtx_timedlock(&held_c11_mutex, &deadline) == thrd_timedout ? 0 : 1;
}

// MARK: Words of memory

static int call_futex_wait(int64_t time) {
    int word = 0;
    struct timespec duration = span(time);
    return ended((int)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &duration, NULL, 0));
}
static int call_futex_wait_bitset(int64_t time) {
    int word = 0;
    struct timespec deadline = later(CLOCK_MONOTONIC, time);
    return ended((int)syscall(
        SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &deadline, NULL, FUTEX_BITSET_MATCH_ANY));
}
static int call_futex_wait_bitset_realtime(int64_t time) {
    int word = 0;
    struct timespec deadline = later(CLOCK_REALTIME, time);
    return ended((int)syscall(
        SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, &deadline, NULL,
        FUTEX_BITSET_MATCH_ANY));
}

// `sleeper` is a thread that never ends, and `held_word` is a word that it has locked. The child of a fork starts
// another such thread.
static pthread_mutex_t sleeper_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t sleeper;
static int held_word, process_of_sleeper;

static void *sleep_for_good(void *is_ready) {
    held_word = (int)syscall(SYS_gettid);
    sem_post(is_ready);
    while (1) pause();
    return NULL;
}
static void need_sleeper(void) {
    pthread_mutex_lock(&sleeper_mutex);
    if (process_of_sleeper != getpid()) {
        sem_t is_ready;
        sem_init(&is_ready, 0, 0);
        pthread_create(&sleeper, NULL, sleep_for_good, &is_ready);
        sem_wait(&is_ready);
        process_of_sleeper = getpid();
    }
    pthread_mutex_unlock(&sleeper_mutex);
}
static int futex_lock(int operation, clockid_t clock, int64_t time) {
    need_sleeper();
    struct timespec deadline = later(clock, time);
    return ended((int)syscall(SYS_futex, &held_word, operation | FUTEX_PRIVATE_FLAG, 0, &deadline, NULL, 0));
}
static int call_futex_lock_pi(int64_t time) { return futex_lock(FUTEX_LOCK_PI, CLOCK_REALTIME, time); }
static int call_futex_lock_pi2(int64_t time) { return futex_lock(13, CLOCK_MONOTONIC, time); }

// MARK: Signals, messages, and semaphores of System V, of which nothing comes

static int call_sigtimedwait(int64_t time) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGRTMAX);
    struct timespec duration = span(time);
    return ended_with_eagain(sigtimedwait(&signals, NULL, &duration));
}
static int message_wait(int64_t time, int sends, int is_by_number) {
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
    char name[64], byte = 0;
    snprintf(name, sizeof name, "/apus-waiting-%d-%ld", getpid(), syscall(SYS_gettid));
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600, &attributes);
    mq_unlink(name);
    struct timespec deadline = later(CLOCK_REALTIME, time);
    if (sends) mq_send(queue, &byte, 1, 0);
    int result = ended(
        is_by_number ? (int)syscall(sends ? SYS_mq_timedsend : SYS_mq_timedreceive, queue, &byte, 1L, 0L, &deadline)
        : sends      ? mq_timedsend(queue, &byte, 1, 0, &deadline)
                     : (int)mq_timedreceive(queue, &byte, 1, NULL, &deadline));
    mq_close(queue);
    return result;
}
static int call_mq_timedsend(int64_t time) { return message_wait(time, 1, 0); }
static int call_mq_timedreceive(int64_t time) { return message_wait(time, 0, 0); }
static int call_syscall_mq_timedsend(int64_t time) { return message_wait(time, 1, 1); }
static int call_syscall_mq_timedreceive(int64_t time) { return message_wait(time, 0, 1); }
static int semaphore_operation(int64_t time, int is_by_number) {
    int semaphore = semget(IPC_PRIVATE, 1, 0600);
    struct sembuf taken = {.sem_op = -1};
    struct timespec duration = span(time);
    int result = ended_with_eagain(
        is_by_number ? (int)syscall(SYS_semtimedop, semaphore, &taken, 1, &duration)
                     : semtimedop(semaphore, &taken, 1, &duration));
    semctl(semaphore, 0, IPC_RMID);
    return result;
}
static int call_semtimedop(int64_t time) { return semaphore_operation(time, 0); }
static int call_syscall_semtimedop(int64_t time) { return semaphore_operation(time, 1); }

// MARK: A thread that does not end

static int call_pthread_timedjoin_np(int64_t time) {
    need_sleeper();
    struct timespec deadline = later(CLOCK_REALTIME, time);
    return timed_out(pthread_timedjoin_np(sleeper, NULL, &deadline));
}
static int call_pthread_clockjoin_np(int64_t time) {
    need_sleeper();
    struct timespec deadline = later(CLOCK_MONOTONIC, time);
    return timed_out(pthread_clockjoin_np(sleeper, NULL, CLOCK_MONOTONIC, &deadline));
}

// MARK: Descriptors, of which nothing comes

struct silence {
    int reader, writer, epoll;
};
static struct silence begin_silence(void) {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) return (struct silence){-1, -1, -1};
    struct silence silence = {ends[0], ends[1], epoll_create1(EPOLL_CLOEXEC)};
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(silence.epoll, EPOLL_CTL_ADD, silence.reader, &event);
    return silence;
}
// Closes the descriptors by system calls. `close` is a cancellation point: it would act on a cancellation that is still
// pending if the call under test is not a cancellation point.
static int end_silence(struct silence silence, int result) {
    syscall(SYS_close, silence.reader);
    syscall(SYS_close, silence.writer);
    syscall(SYS_close, silence.epoll);
    return result;
}
static int call_poll(int64_t time) {
    struct silence silence = begin_silence();
    struct pollfd polled = {.fd = silence.reader, .events = POLLIN};
    return end_silence(silence, poll(&polled, 1, (int)(time / 1000000)));
}
static int call_ppoll(int64_t time) {
    struct silence silence = begin_silence();
    struct pollfd polled = {.fd = silence.reader, .events = POLLIN};
    struct timespec duration = span(time);
    return end_silence(silence, ppoll(&polled, 1, &duration, NULL));
}
static int call_select(int64_t time) {
    struct silence silence = begin_silence();
    struct timeval duration = {time / 1000000000, time % 1000000000 / 1000};
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(silence.reader, &readable);
    return end_silence(silence, select(silence.reader + 1, &readable, NULL, NULL, &duration));
}
static int call_pselect(int64_t time) {
    struct timespec duration = span(time);
    return pselect(0, NULL, NULL, NULL, &duration, NULL);
}
static int call_epoll_wait(int64_t time) {
    struct silence silence = begin_silence();
    struct epoll_event event;
    return end_silence(silence, epoll_wait(silence.epoll, &event, 1, (int)(time / 1000000)));
}
static int call_epoll_pwait(int64_t time) {
    struct silence silence = begin_silence();
    struct epoll_event event;
    return end_silence(silence, epoll_pwait(silence.epoll, &event, 1, (int)(time / 1000000), NULL));
}
static int call_epoll_pwait2(int64_t time) {
    struct silence silence = begin_silence();
    struct epoll_event event;
    struct timespec duration = span(time);
    return end_silence(silence, epoll_pwait2(silence.epoll, &event, 1, &duration, NULL));
}

// MARK: System calls by number, and fortified forms

#ifdef SYS_poll
static int call_syscall_poll(int64_t time) { return (int)syscall(SYS_poll, NULL, 0, time / 1000000); }
static int call_syscall_select(int64_t time) {
    struct timeval duration = {time / 1000000000, time % 1000000000 / 1000};
    return (int)syscall(SYS_select, 0, NULL, NULL, NULL, &duration);
}
static int call_syscall_epoll_wait(int64_t time) {
    struct silence silence = begin_silence();
    struct epoll_event event;
    return end_silence(silence, (int)syscall(SYS_epoll_wait, silence.epoll, &event, 1, time / 1000000));
}
#endif
static int call_syscall_ppoll(int64_t time) {
    struct timespec duration = span(time);
    return (int)syscall(SYS_ppoll, NULL, 0, &duration, NULL, 8);
}
static int call_syscall_pselect6(int64_t time) {
    struct timespec duration = span(time);
    return (int)syscall(SYS_pselect6, 0, NULL, NULL, NULL, &duration, NULL);
}
static int call_syscall_epoll_pwait2(int64_t time) {
    struct silence silence = begin_silence();
    struct epoll_event event;
    struct timespec duration = span(time);
    return end_silence(silence, (int)syscall(SYS_epoll_pwait2, silence.epoll, &event, 1, &duration, NULL, 8));
}
static int call_syscall_clock_nanosleep(int64_t time) {
    struct timespec duration = span(time);
    return (int)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &duration, NULL);
}
static int call_syscall_epoll_pwait(int64_t time) {
    struct silence silence = begin_silence();
    struct epoll_event event;
    return end_silence(silence, (int)syscall(SYS_epoll_pwait, silence.epoll, &event, 1, time / 1000000, NULL, 8));
}
static int call_syscall_rt_sigtimedwait(int64_t time) {
    uint64_t signals = 1ULL << (SIGRTMAX - 1);
    struct timespec duration = span(time);
    return ended_with_eagain((int)syscall(SYS_rt_sigtimedwait, &signals, NULL, &duration, sizeof signals));
}
static int call_syscall_timerfd(int64_t time) {
    int descriptor = (int)syscall(SYS_timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec setting = {.it_value = span(time)};
    syscall(SYS_timerfd_settime, descriptor, 0, &setting, NULL);
    uint64_t fired = 0;
    long length = syscall(SYS_read, descriptor, &fired, sizeof(fired));
    syscall(SYS_close, descriptor);
    return length == sizeof(fired) && fired == 1 ? 0 : 1;
}
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
ssize_t __read_chk(int, void *, size_t, size_t);
static int call___poll_chk(int64_t time) { return __poll_chk(NULL, 0, (int)(time / 1000000), 0); }
static int call___ppoll_chk(int64_t time) {
    struct timespec duration = span(time);
    return __ppoll_chk(NULL, 0, &duration, NULL, 0);
}
static int call___read_chk(int64_t time) {
    int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec setting = {.it_value = span(time)};
    timerfd_settime(descriptor, 0, &setting, NULL);
    uint64_t fired = 0;
    ssize_t length = __read_chk(descriptor, &fired, sizeof(fired), sizeof(fired));
    close(descriptor);
    return length == sizeof(fired) && fired == 1 ? 0 : 1;
}

// MARK: Timers that are descriptors

static int wait_for_timer(clockid_t clock, int flags, int64_t time) {
    int descriptor = timerfd_create(clock, TFD_CLOEXEC);
    struct itimerspec setting = {.it_value = flags ? later(clock, time) : span(time)};
    timerfd_settime(descriptor, flags, &setting, NULL);
    uint64_t fired = 0;
    ssize_t length = read(descriptor, &fired, sizeof(fired));
    close(descriptor);
    return length == sizeof(fired) && fired == 1 ? 0 : 1;
}
static int call_timerfd(int64_t time) { return wait_for_timer(CLOCK_MONOTONIC, 0, time); }
static int call_timerfd_boottime(int64_t time) { return wait_for_timer(CLOCK_BOOTTIME, TFD_TIMER_ABSTIME, time); }
static int call_timerfd_realtime(int64_t time) { return wait_for_timer(CLOCK_REALTIME, TFD_TIMER_ABSTIME, time); }

#define ROW(name) {#name, call_##name}
static const struct waiting_call calls[] = {
    ROW(nanosleep), ROW(usleep), ROW(sleep), ROW(thrd_sleep), ROW(clock_nanosleep), ROW(clock_nanosleep_monotonic),
    ROW(clock_nanosleep_boottime), ROW(clock_nanosleep_realtime), ROW(syscall_nanosleep), ROW(sem_timedwait),
    ROW(sem_clockwait), ROW(pthread_cond_timedwait), ROW(pthread_cond_timedwait_monotonic), ROW(pthread_cond_clockwait),
    ROW(cnd_timedwait), ROW(pthread_mutex_timedlock), ROW(pthread_mutex_clocklock), ROW(pthread_rwlock_timedrdlock),
    ROW(pthread_rwlock_timedwrlock), ROW(pthread_rwlock_clockrdlock), ROW(pthread_rwlock_clockwrlock),
    ROW(mtx_timedlock), ROW(futex_wait), ROW(futex_wait_bitset), ROW(futex_wait_bitset_realtime), ROW(futex_lock_pi),
    ROW(futex_lock_pi2), ROW(poll), ROW(ppoll), ROW(select), ROW(pselect), ROW(epoll_wait), ROW(epoll_pwait),
    ROW(epoll_pwait2), ROW(timerfd), ROW(timerfd_boottime), ROW(timerfd_realtime), ROW(sigtimedwait),
    ROW(mq_timedsend), ROW(mq_timedreceive), ROW(semtimedop), ROW(pthread_timedjoin_np), ROW(pthread_clockjoin_np),
#ifdef SYS_poll
    ROW(syscall_poll), ROW(syscall_select), ROW(syscall_epoll_wait),
#endif
    ROW(syscall_ppoll), ROW(syscall_pselect6), ROW(syscall_epoll_pwait), ROW(syscall_epoll_pwait2),
    ROW(syscall_clock_nanosleep), ROW(syscall_rt_sigtimedwait), ROW(syscall_semtimedop),
    ROW(syscall_mq_timedsend), ROW(syscall_mq_timedreceive), ROW(syscall_timerfd),
    ROW(__poll_chk), ROW(__ppoll_chk), ROW(__read_chk),
};

const struct waiting_call *waiting_call_at(int index) {
    return index < (int)(sizeof(calls) / sizeof(calls[0])) ? &calls[index] : 0;
}

#else
const struct waiting_call *waiting_call_at(int index) { return 0; }
#endif

// The lower 30 bits of the state of a queue of Dispatch are the number of the thread to which the queue is bound. The
// offset of the state is private to Dispatch; this is the one in the Dispatch of Swift 6.
uint32_t thread_of_main_queue(void) {
    extern const unsigned char _dispatch_main_q[];
    uint64_t state;
    memcpy(&state, _dispatch_main_q + 0x38, sizeof state);
    return (uint32_t)(state & 0x3fffffff);
}
