// Makes a mode of the main run loop a common mode. On Linux, Foundation has a function for that only in its C
// interface, which Swift does not import.
#include "CProcessClock.h"

#if defined(__linux__)
__attribute__((weak)) void *CFRunLoopGetMain(void);
__attribute__((weak)) void CFRunLoopAddCommonMode(void *loop, const void *mode);
__attribute__((weak)) const void *CFStringCreateWithCString(const void *allocator, const char *text, uint32_t encoding);

bool main_run_loop_add_common_mode(const char *name) {
    if (!CFRunLoopGetMain || !CFRunLoopAddCommonMode || !CFStringCreateWithCString) return false;
    const uint32_t utf8 = 0x08000100;
    CFRunLoopAddCommonMode(CFRunLoopGetMain(), CFStringCreateWithCString(NULL, name, utf8));
    return true;
}
#else
bool main_run_loop_add_common_mode(const char *name) { return false; }
#endif
