// Starts a program as the launcher of simulated apps. In each process that the launcher forks, one of the program's
// functions runs in place of `main`.
#define _GNU_SOURCE
#include "clock_internal.h"

#ifndef CLOCK_IS_UNAVAILABLE
#include <dlfcn.h>
#include <stdlib.h>

// Module SimulatedAppleCore defines these functions; a program without that module starts no such process.
__attribute__((weak)) void apus_app_launcher_prepare(void);
__attribute__((weak)) void apus_app_process_main(void (*program)(void));

static uintptr_t base_of(void *address) {
    Dl_info info;
    return dladdr(address, &info) ? (uintptr_t)info.dli_fbase : 0;
}

static int app_main(int count, char **arguments, char **environment) {
    apus_app_launcher_prepare();
    // This returns only in the processes that the launcher forks.
    uint64_t offset = app_launcher_main();
    apus_app_process_main((void (*)(void))(base_of((void *)app_main) + offset));
    return 0;
}

uint64_t process_clock_offset(void (*program)(void)) {
    uintptr_t base = base_of((void *)program);
    return base != 0 && base == base_of((void *)app_main) ? (uintptr_t)program - base : 0;
}

int __libc_start_main(
    int (*main)(int, char **, char **), int count, char **arguments, void (*begin)(void), void (*end)(void),
    void (*end_of_linker)(void), void *stack_end) {
    __typeof__(__libc_start_main) *start = (__typeof__(__libc_start_main) *)dlsym(RTLD_NEXT, "__libc_start_main");
    if (!start) abort();
    bool is_app = getenv("APUS_APP_LAUNCHER") && apus_app_process_main;
    return start(is_app ? app_main : main, count, arguments, begin, end, end_of_linker, stack_end);
}

#endif
