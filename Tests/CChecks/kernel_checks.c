// Checks of the timers, locks, threads and signals of CApus.
#define _GNU_SOURCE
#include "checks.h"

#include "CApus.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// MARK: Descriptors of the kernel

static void timers(void) {
    for (enum capus_clock clock = CAPUS_CLOCK_UPTIME; clock <= CAPUS_CLOCK_WALL; clock++) {
        int timer = capus_timerfd_create(clock);
        require(timer >= 0);
        require(capus_timerfd_read(timer) == 0);
        // The instants are the last ones that 64 bits can express, with and without a sign; 0, which disarms the timer;
        // and 1, which is in the past.
        require(capus_timerfd_arm(timer, UINT64_MAX, 0) == 0);
        require(capus_timerfd_arm(timer, INT64_MAX, clock == CAPUS_CLOCK_WALL) == 0);
        require(capus_timerfd_arm(timer, (uint64_t)INT64_MAX + 1, 0) == 0);
        require(capus_timerfd_arm(timer, 0, 0) == 0);
        require(capus_timerfd_read(timer) == 0);
        require(capus_timerfd_arm(timer, 1, 0) == 0);
        struct pollfd polled = {.fd = timer, .events = POLLIN};
        require(poll(&polled, 1, -1) == 1);
        require(capus_timerfd_read(timer) == 1);
        close(timer);
    }
    require(capus_timerfd_read(-1) == -EBADF);
    require(capus_timerfd_arm(-1, 1, 0) == -EBADF);
}

static void forks(void) {
    unsigned before = capus_forks();
    pid_t child = fork();
    require(child >= 0);
    if (child == 0) _exit(capus_forks() == before + 1 ? 0 : 1);
    int status = 0;
    require(waitpid(child, &status, 0) == child && status == 0);
    require(capus_forks() == before);
}

static void events(void) {
    int event = capus_eventfd_create();
    require(event >= 0);
    require(capus_eventfd_signal(event) == 0);
    uint64_t count = 0;
    require(read(event, &count, sizeof count) == sizeof count && count == 1);
    close(event);
    require(capus_eventfd_signal(-1) == -EBADF);
}

static void pipes(void) {
    int *ends = malloc(2 * sizeof *ends);
    require(capus_pipe(ends) == 0);
    char byte;
    require(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
    close(ends[0]);
    close(ends[1]);
    free(ends);
}

// MARK: Threads

enum { thread_count = 8, turns = 5000 };

static uint32_t lock_word;
static int protected_count;
static uint32_t numbers[thread_count];

static void lock(void) {
    uint32_t expected = CAPUS_LOCK_FREE;
    if (!__atomic_compare_exchange_n(
            &lock_word, &expected, CAPUS_LOCK_HELD, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        capus_lock_wait(&lock_word);
}

static void unlock(void) {
    if (__atomic_exchange_n(&lock_word, CAPUS_LOCK_FREE, __ATOMIC_RELEASE) == CAPUS_LOCK_CONTENDED)
        capus_lock_wake(&lock_word);
}

static void *take_turns(void *number) {
    for (int turn = 0; turn < turns; turn++) {
        lock();
        protected_count++;
        unlock();
    }
    *(uint32_t *)number = capus_thread_number();
    require(capus_thread_number() == *(uint32_t *)number);
    return NULL;
}

static void locks(void) {
    pthread_t threads[thread_count];
    for (int i = 0; i < thread_count; i++) require(pthread_create(&threads[i], NULL, take_turns, &numbers[i]) == 0);
    for (int i = 0; i < thread_count; i++) pthread_join(threads[i], NULL);
    require(protected_count == thread_count * turns);
    for (int i = 0; i < thread_count; i++) {
        for (int j = 0; j < i; j++) require(numbers[i] != numbers[j]);
    }
    capus_prefetch((uintptr_t)&lock_word);
    capus_prefetch(0);
    capus_prefetch(UINT64_MAX);
}

struct seen {
    int writing_end;
    char name[16];
    sigset_t mask;
};

static void look(void *context) {
    struct seen *seen = context;
    require(pthread_getname_np(pthread_self(), seen->name, sizeof seen->name) == 0);
    pthread_sigmask(SIG_BLOCK, NULL, &seen->mask);
    require(write(seen->writing_end, "x", 1) == 1);
}

static void require_blocked(const sigset_t *mask) {
    const int blocked[] = {SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD, SIGTSTP, SIGRTMAX};
    for (size_t index = 0; index < sizeof blocked / sizeof *blocked; index++) require(sigismember(mask, blocked[index]));
    const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE, SIGXFSZ, SIGPROF};
    for (size_t index = 0; index < sizeof own / sizeof *own; index++) require(!sigismember(mask, own[index]));
}

static void started_threads(void) {
    int ends[2];
    require(pipe(ends) == 0);
    sigset_t before, after;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    struct seen seen = {.writing_end = ends[1]};
    // The kernel cuts the name, because it is longer than the names that the kernel keeps.
    require(capus_start_thread("a name that is too long", look, &seen, NULL) == 0);
    char byte;
    require(read(ends[0], &byte, 1) == 1 && byte == 'x');
    require(strcmp(seen.name, "a name that is ") == 0);
    require_blocked(&seen.mask);
    pthread_t thread;
    require(capus_start_thread("turns", look, &seen, &thread) == 0);
    require(pthread_join(thread, NULL) == 0);
    require(strcmp(seen.name, "turns") == 0);
    require_blocked(&seen.mask);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    for (int signal = 1; signal < NSIG; signal++) require(sigismember(&before, signal) == sigismember(&after, signal));
    close(ends[0]);
    close(ends[1]);
}

static void *wait_for_signal(void *mask) {
    int signal = 0;
    require(sigwait(mask, &signal) == 0);
    return (void *)(intptr_t)signal;
}

static void wait_for_byte(void *descriptor) {
    char byte;
    require(read(*(int *)descriptor, &byte, 1) == 1);
}

// If a thread of CApus took the signal, the signal would end the process.
static void awaited_signal(void) {
    int ends[2];
    require(pipe(ends) == 0);
    pthread_t ours, theirs;
    require(capus_start_thread("ours", wait_for_byte, &ends[0], &ours) == 0);
    sigset_t mask, before;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, &before);
    require(pthread_create(&theirs, NULL, wait_for_signal, &mask) == 0);
    require(kill(getpid(), SIGUSR1) == 0);
    void *signal = NULL;
    require(pthread_join(theirs, &signal) == 0 && (intptr_t)signal == SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    require(write(ends[1], "x", 1) == 1);
    require(pthread_join(ours, NULL) == 0);
    close(ends[0]);
    close(ends[1]);
}

// MARK: Limits

static void limits(void) {
    uint64_t soft = 0, hard = 0, processes = 0;
    require(capus_file_limit(&soft, &hard) == 0 && soft > 0 && soft <= hard);
    require(capus_set_file_limit(64) == 0);
    uint64_t lowered = 0;
    require(capus_file_limit(&lowered, &hard) == 0 && lowered == 64);
    require(capus_set_file_limit(soft) == 0);
    require(capus_process_limit(&processes) == 0 && processes > 0);
}

// MARK: Signals

static int next_signal(int descriptor) {
    struct pollfd polled = {.fd = descriptor, .events = POLLIN};
    require(poll(&polled, 1, -1) == 1);
    unsigned char number = 0;
    require(read(descriptor, &number, 1) == 1);
    return number;
}

static void signals(void) {
    const int wanted[] = {SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2};
    const int count = sizeof wanted / sizeof *wanted;
    int *copy = exact_copy(wanted, sizeof wanted);
    // Under nohup, SIGHUP is ignored, and would stay ignored.
    signal(SIGHUP, SIG_DFL);
    int descriptor = capus_signals_catch(copy, count);
    require(descriptor >= 0);
    require(capus_signals_catch(copy, count) == -EBUSY);
    for (int i = 0; i < count; i++) {
        raise(wanted[i]);
        require(next_signal(descriptor) == wanted[i]);
    }
    // This signal stays in the pipe. The pipe must not be closed, because a delayed handler would then write to another
    // file. The next caller that catches signals must not receive this signal.
    raise(SIGUSR1);
    capus_signals_release();
    capus_signals_release();
    require(capus_signals_catch(copy, count) == descriptor);
    raise(SIGUSR2);
    require(next_signal(descriptor) == SIGUSR2);
    capus_signals_release();
    // The second of these signals cannot be caught.
    const int impossible[] = {SIGUSR1, SIGKILL};
    require(capus_signals_catch(impossible, 2) == -EINVAL);
    signal(SIGHUP, SIG_IGN);
    require((descriptor = capus_signals_catch(copy, count)) >= 0);
    raise(SIGHUP);
    raise(SIGUSR2);
    require(next_signal(descriptor) == SIGUSR2);
    capus_signals_release();
    signal(SIGHUP, SIG_DFL);
    free(copy);
}

// Catches each possible number of signals, up to all real-time signals.
static void many_signals(void) {
    int numbers[64], count = 0;
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) numbers[count++] = number;
    for (int wanted = 1; wanted <= count; wanted++) {
        int *copy = exact_copy(numbers, (size_t)wanted * sizeof *copy);
        int descriptor = capus_signals_catch(copy, wanted);
        require(wanted <= 8 ? descriptor >= 0 : descriptor == -EINVAL);
        capus_signals_release();
        free(copy);
    }
}

const struct check kernel_checks[] = {
    {"timers of the kernel", timers},
    {"forks are counted in the child", forks},
    {"events of the kernel", events},
    {"pipes", pipes},
    {"locks and the numbers of threads", locks},
    {"threads of ours", started_threads},
    {"a signal that a thread waits for", awaited_signal},
    {"limits of files and processes", limits},
    {"signals as bytes", signals},
    {"many signals", many_signals},
    {NULL, NULL},
};
