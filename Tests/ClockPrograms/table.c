// The table of docs/process-clock.md. For each way to wait, it shows the effect of time that stands still or moves, and
// of events in the thread or the process that waits. In the machine's time, the program prints only the effects of a
// signal and of a cancellation.
#define _GNU_SOURCE
#include "program.h"

#include "../CWaitingCalls/include/CWaitingCalls.h"
#include "CProcessClock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A symbol of Dispatch, which is not in this program; thread_of_main_queue reads it.
const unsigned char _dispatch_main_q[64] = {0};

static const int64_t second = 1000000000, limit = 60000000000;

struct waiter {
    const struct waiting_call *call;
    int64_t duration;
    pthread_t thread;
    atomic_bool is_over;
    int result;
};

static void *wait_once(void *argument) {
    struct waiter *waiter = argument;
    waiter->result = waiter->call->wait(waiter->duration);
    atomic_store(&waiter->is_over, true);
    return NULL;
}

static void begin(struct waiter *waiter, const struct waiting_call *call, int64_t duration) {
    *waiter = (struct waiter){.call = call, .duration = duration, .result = -1};
    waiter->thread = start(wait_once, waiter);
    if (time_is_virtual()) require(process_clock_settle(limit) == 0);
}

static void advance(int64_t duration) { require(process_clock_advance(duration, limit) == 0); }

static const char *frozen_and_advanced(const struct waiting_call *call) {
    struct waiter waiter;
    begin(&waiter, call, 3 * second);
    bool is_right = !waiter.is_over;
    advance(3 * second - 1000000);
    is_right &= !waiter.is_over;
    advance(1000000);
    if (!waiter.is_over) return "waits | waits";
    join(waiter.thread);
    return is_right && waiter.result == 0 ? "waits | returns at its instant" : "returns | returns";
}

static const char *suspended(const struct waiting_call *call) {
    struct waiter waiter;
    begin(&waiter, call, 3 * second);
    process_clock_jump(60 * second, 60 * second, 60 * second);
    bool is_right = !waiter.is_over;
    advance(0);
    if (!waiter.is_over) return "waits";
    join(waiter.thread);
    return is_right && waiter.result == 0 ? "waits; returns when resumed" : "returns";
}

// Starts a copy of this program, and kills the copy when it has reported that it waits.
static const char *killed(const struct waiting_call *call) {
    int ends[2], status;
    require(pipe2(ends, O_CLOEXEC) == 0);
    pid_t child = fork();
    require(child >= 0);
    if (child == 0) {
        dup2(ends[1], 1);
        execl("/proc/self/exe", "clock-programs", "wait", call->name, NULL);
        _exit(127);
    }
    close(ends[1]);
    char byte;
    require(read(ends[0], &byte, 1) == 1 && kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
    // The read finds the end of the pipe, so no process that the copy has started still has the pipe open.
    require(read(ends[0], &byte, 1) == 0 && close(ends[0]) == 0);
    return WIFSIGNALED(status) ? "ends" : "continues";
}

int wait_for_ever(const char *name) {
    struct waiter waiter;
    for (int i = 0; waiting_call_at(i); i++) {
        if (strcmp(waiting_call_at(i)->name, name) != 0) continue;
        begin(&waiter, waiting_call_at(i), 1000 * second);
        if (waiter.is_over || write(1, "!", 1) != 1) return 1;
        process_clock_machine_sleep(INT64_MAX / 2);
    }
    return 1;
}

static const char *forked(const struct waiting_call *call) {
    struct waiter waiter;
    begin(&waiter, call, 3 * second);
    pid_t child = fork();
    if (child == 0) {
        end_child_in_time();
        int64_t before = process_clock_machine_time();
        int result = call->wait(20000000);
        bool is_in_real_time = process_clock_machine_time() - before >= 20000000 || strcmp(call->name, "sleep") == 0;
        _exit(result == 0 && is_in_real_time ? 0 : 1);
    }
    expect_success(child);
    bool is_right = !waiter.is_over;
    advance(3 * second);
    join(waiter.thread);
    return is_right && waiter.result == 0 ? "waits; the machine's time in the child" : "fails";
}

static void do_nothing(int number) { (void)number; }

static void pass(int64_t duration) {
    if (time_is_virtual()) advance(duration);
    else sleep_for(duration);
}

enum { most = 128 };
static int count;
static const char *signalled[most], *cancelled[most];

static void signal_all(struct waiter *waiters) {
    struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
    require(sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < count; i++) begin(&waiters[i], waiting_call_at(i), second);
    for (int over = 0; over < count;) {
        pass(20000000);
        over = 0;
        for (int i = 0; i < count; i++) {
            if (waiters[i].is_over) over++;
            else pthread_kill(waiters[i].thread, SIGUSR1);
        }
    }
    for (int i = 0; i < count; i++) {
        join(waiters[i].thread);
        signalled[i] = waiters[i].result == 0 ? "waits on" : "`EINTR`";
    }
}

static void cancel_all(struct waiter *waiters) {
    for (int i = 0; i < count; i++) begin(&waiters[i], waiting_call_at(i), second);
    pass(20000000);
    for (int i = 0; i < count; i++) require(pthread_cancel(waiters[i].thread) == 0);
    pass(2 * second);
    for (int i = 0; i < count; i++) {
        void *result = NULL;
        require(pthread_join(waiters[i].thread, &result) == 0);
        cancelled[i] = result == PTHREAD_CANCELED ? "is cancelled" : "waits on";
    }
}

// Prints a line for each call, with its name and the columns.
void print_table(void) {
    static struct waiter waiters[most];
    while (waiting_call_at(count)) require(++count < most);
    // The thread that holds the locks must exist before a thread is cancelled while it waits for one of them. A wait of
    // no length starts that thread.
    for (int i = 0; !time_is_virtual() && i < count; i++) {
        if (strcmp(waiting_call_at(i)->name, "pthread_mutex_timedlock") == 0) waiting_call_at(i)->wait(0);
    }
    for (int i = 0; time_is_virtual() && i < count; i++) {
        const struct waiting_call *call = waiting_call_at(i);
        printf("%s | %s | %s", call->name, frozen_and_advanced(call), suspended(call));
        printf(" | %s | %s |\n", killed(call), forked(call));
        fflush(stdout);
    }
    signal_all(waiters);
    cancel_all(waiters);
    for (int i = 0; i < count; i++) printf("%s > %s | %s |\n", waiting_call_at(i)->name, signalled[i], cancelled[i]);
}
