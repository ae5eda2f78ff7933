// The functions of the C modules, called one after another by a program that is compiled with sanitizers:
// Scripts/c-checks. A check passes when the sanitizers report nothing and every `require` holds.
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

// A copy on the heap of exactly this size, so that a read or write beyond its end is found.
void *exact_copy(const void *bytes, size_t size);
// The same of a text with its terminator.
char *exact_text(const char *text);
// An array of such texts with NULL at its end.
char **exact_texts(const char *const *texts);
void free_texts(char **texts);
// Reads until the end, or until `capacity` - 1 bytes; waits on descriptors that do not block.
size_t read_all(int descriptor, char *text, size_t capacity);
// Which descriptors are open now, as a number that is compared.
int open_descriptors(void);

// Each ends with a row without a name. Those of the process clock make time virtual, and come last.
extern const struct check process_checks[], kernel_checks[], notification_checks[], starter_checks[], clock_checks[];

#endif
