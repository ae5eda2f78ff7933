#define _GNU_SOURCE
#include "CAllocationCount.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

static _Thread_local int is_counting;
static _Thread_local long count;

static void *next(const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) abort();
    return symbol;
}

// Two functions of Swift's runtime, which compiled code calls for each allocation. They are defined here, in the
// executable, so that calls reach them before the runtime's own functions.

void *swift_allocObject(const void *metadata, size_t size, size_t alignment_mask) {
    static void *(*original)(const void *, size_t, size_t);
    if (!original) original = (void *(*)(const void *, size_t, size_t))next("swift_allocObject");
    if (is_counting) count++;
    return original(metadata, size, alignment_mask);
}

void *swift_slowAlloc(size_t size, size_t alignment_mask) {
    static void *(*original)(size_t, size_t);
    if (!original) original = (void *(*)(size_t, size_t))next("swift_slowAlloc");
    if (is_counting) count++;
    return original(size, alignment_mask);
}

void callocation_count_begin(void) {
    count = 0;
    is_counting = 1;
}

long callocation_count_end(void) {
    is_counting = 0;
    return count;
}
