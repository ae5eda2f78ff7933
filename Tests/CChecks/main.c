#define _GNU_SOURCE
#include "checks.h"

#include "CApusSignal.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

void *exact_copy(const void *bytes, size_t size) {
    void *copy = malloc(size);
    require(copy != NULL);
    memcpy(copy, bytes, size);
    return copy;
}

char *exact_text(const char *text) { return exact_copy(text, strlen(text) + 1); }

char **exact_texts(const char *const *texts) {
    size_t count = 0;
    while (texts[count]) count++;
    char **copies = malloc((count + 1) * sizeof *copies);
    require(copies != NULL);
    for (size_t i = 0; i < count; i++) copies[i] = exact_text(texts[i]);
    copies[count] = NULL;
    return copies;
}

void free_texts(char **texts) {
    for (size_t i = 0; texts[i]; i++) free(texts[i]);
    free(texts);
}

size_t read_all(int descriptor, char *text, size_t capacity) {
    size_t length = 0;
    while (length < capacity - 1) {
        struct pollfd polled = {.fd = descriptor, .events = POLLIN};
        require(poll(&polled, 1, -1) == 1);
        ssize_t count = read(descriptor, text + length, capacity - 1 - length);
        if (count <= 0) break;
        length += (size_t)count;
    }
    text[length] = 0;
    return length;
}

int open_descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    require(folder != NULL);
    int count = 0;
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

// Runs checks, none of which may leave a descriptor open unless `keeps_files` is set. It is set for the checks of the
// process clock, because the clock keeps the files of threads open.
static int run(const struct check *checks, bool keeps_files) {
    int count = 0;
    for (; checks[count].name; count++) {
        printf("c-checks: %s\n", checks[count].name);
        fflush(stdout);
        int before = open_descriptors();
        checks[count].run();
        require(keeps_files || open_descriptors() == before);
    }
    return count;
}

int main(void) {
    // The pipe of the signals stays open, so it is opened before descriptors are counted.
    const int signal = SIGUSR1;
    require(capus_signals_catch(&signal, 1) >= 0);
    capus_signals_release();
    int count = run(kernel_checks, false) + run(process_checks, false) + run(notification_checks, false);
#ifndef WITHOUT_CLOCK
    count += run(starter_checks, false) + run(clock_checks, true);
#endif
    printf("c-checks: %d checks passed\n", count);
    return 0;
}
