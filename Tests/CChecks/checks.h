// The checks of the C modules: functions that a program calls one after another, which Scripts/c-checks compiles with
// sanitizers. A check passes if the sanitizers report nothing and every `require` holds.
#ifndef CHECKS_H
#define CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define require(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "c-checks: %s:%d: error: not so: %s\n", __FILE__, __LINE__, #condition);                   \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

struct check {
    const char *name;
    void (*run)(void);
};

// Returns a copy on the heap of exactly this size, so that a read or write beyond its end is found.
void *exact_copy(const void *bytes, size_t size);
// Returns such a copy of a text with its terminator.
char *exact_text(const char *text);
// Returns an array of such texts with NULL at its end.
char **exact_texts(const char *const *texts);
void free_texts(char **texts);
// Reads until the end, or until `capacity` - 1 bytes were read; waits for data even if the descriptor does not block.
size_t read_all(int descriptor, char *text, size_t capacity);
// Returns a number that stands for the set of open descriptors, for comparisons.
int open_descriptors(void);

// Each array ends with a row without a name. The checks of the process clock make time virtual, so they run last.
extern const struct check process_checks[], kernel_checks[], notification_checks[], starter_checks[], clock_checks[];

#endif
