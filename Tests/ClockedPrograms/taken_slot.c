// Takes a slot of a clock for an ended process, whose number now belongs to another process.
// Usage: taken_slot FILE NUMBER
#define _GNU_SOURCE
#include "../../Sources/ApusClock/shared_clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int count, char **arguments) {
    struct shared_clock *shared = mmap(
        NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, open(arguments[1], O_RDWR | O_CLOEXEC), 0);
    if (count != 3 || shared == MAP_FAILED) return 2;
    // The identity has no start time, so it means a process that began with the machine, and not the process that has
    // the number now.
    atomic_store(&shared->slots[slot_count - 1].process, strtoull(arguments[2], NULL, 10));
    return 0;
}
