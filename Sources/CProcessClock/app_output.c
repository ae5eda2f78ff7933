#define _GNU_SOURCE
#include "app_output.h"

#include <errno.h>

#if defined(__linux__) && defined(__GLIBC__)
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

// NULL in a program without Dispatch.
__attribute__((weak)) const char *dispatch_queue_get_label(void *queue);

enum { output_descriptor = 1, call_length = 200 };

int app_output_make(void) { return memfd_create("app output", MFD_CLOEXEC); }

long app_output_read(int output, void *bytes, unsigned long capacity, int64_t offset) {
    long count;
    do count = pread(output, bytes, capacity, offset);
    while (count < 0 && errno == EINTR);
    return count;
}

void app_output_begin(void) { setvbuf(stdout, NULL, _IONBF, 0); }

int64_t app_output_size(void) {
    struct stat file;
    return fstat(output_descriptor, &file) == 0 ? file.st_size : 0;
}

// MARK: The crash

static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
static void (*report)(void);
static atomic_int crash_signal;

bool app_crash_has_begun(void) { return atomic_load(&crash_signal) != 0; }

void app_crash_wait(void) {
    while (true) pause();
}

static void reset_signals(void) {
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
}

static void report_crash(void) {
    report();
    raise(atomic_load(&crash_signal));
    _exit(1);
}

// Makes the interrupted code call `report_crash` when the handler returns. Unlike a handler, `report_crash` may then
// use locks and memory, and in a backtrace its caller is the code that made the mistake.
static void divert(ucontext_t *context) {
#if defined(__x86_64__)
    greg_t *registers = context->uc_mcontext.gregs;
    // The stack continues below the red zone, aligned as at a call. The return address is one byte further, because a
    // backtrace looks up the instruction before the return address.
    uintptr_t *stack = (uintptr_t *)(((uintptr_t)registers[REG_RSP] - 128) & ~(uintptr_t)15) - 1;
    *stack = (uintptr_t)registers[REG_RIP] + 1;
    registers[REG_RSP] = (greg_t)stack;
    registers[REG_RIP] = (greg_t)(uintptr_t)report_crash;
#elif defined(__aarch64__)
    context->uc_mcontext.sp &= ~15UL;
    context->uc_mcontext.regs[30] = context->uc_mcontext.pc + 4;
    context->uc_mcontext.pc = (uintptr_t)report_crash;
#else
    (void)context;
    raise(atomic_load(&crash_signal));
#endif
}

static void handle(int number, siginfo_t *info, void *context) {
    (void)info;
    int none = 0;
    if (!atomic_compare_exchange_strong(&crash_signal, &none, number)) app_crash_wait();
    // If the code of the report causes a fault itself, the signal ends the process.
    reset_signals();
    divert(context);
}

void app_crash_begin(void (*new_report)(void)) {
    report = new_report;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
}

// MARK: The call

static _Thread_local char call[call_length + 1];

void app_call_begin(const char *name) {
    size_t length = strnlen(name, call_length);
    memmove(call, name, length);
    call[length] = 0;
}

const char *app_call_current(void) { return call; }

bool app_thread_is_first(void) { return gettid() == getpid(); }

const char *app_thread_queue(void) { return dispatch_queue_get_label ? dispatch_queue_get_label(NULL) : ""; }

#else

int app_output_make(void) { return -1; }
long app_output_read(int output, void *bytes, unsigned long capacity, int64_t offset) {
    (void)output, (void)bytes, (void)capacity, (void)offset;
    return 0;
}
void app_output_begin(void) {}
int64_t app_output_size(void) { return 0; }
void app_crash_begin(void (*report)(void)) { (void)report; }
bool app_crash_has_begun(void) { return false; }
void app_crash_wait(void) {}
void app_call_begin(const char *name) { (void)name; }
const char *app_call_current(void) { return ""; }
bool app_thread_is_first(void) { return false; }
const char *app_thread_queue(void) { return ""; }

#endif
