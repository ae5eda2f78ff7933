// The processes that descend from this one, whether any of their threads can run, and orders to their clocks.
//
// All threads of the tree are asleep at one instant when three passes over them say so, as clock_idle.c has it for one
// process; the threads that serve the clocks are left out. Between the passes the kernel is asked for new processes.
// Functions are for one thread.
#ifndef PROCESS_TREE_H
#define PROCESS_TREE_H

#include <stdbool.h>

#include "shared_clock.h"

// Why this machine cannot find out, or NULL.
const char *tree_obstacle(void);
void tree_begin(struct shared_clock *shared);
// One examination: whether no thread can run, and the clocks have said so too.
bool tree_is_at_rest(void);
// Whether there are too few descriptors to examine all processes; then the tree is never found at rest.
bool tree_lacks_descriptors(void);
// A thread of the tree runs again, by what is done next, or may have run.
void tree_wakes(void);
// The deadline that is first, and how long until then. At rest; false where there is none.
struct tree_deadline {
    int64_t left;
    struct clock_slot *slot;
    size_t process;
};
bool tree_earliest(struct tree_deadline *earliest);
// Has its process fire it, if it still answers.
void tree_fire(const struct tree_deadline *deadline);
// Describes a thread that could run when last looked at.
void tree_describe_runner(char *text, size_t size);
// Kills all processes of the tree. False when there is none.
bool tree_kill(void);

// Why a program's time cannot be virtual, in words that follow "it"; NULL where it can be.
const char *program_obstacle(const char *file);

#endif
