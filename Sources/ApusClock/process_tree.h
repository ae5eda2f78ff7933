// The processes that descend from this one, whether any of their threads can run, and orders to their clocks.
//
// All threads of the tree are asleep at one instant if three passes over them agree; clock_idle.c describes the passes
// for one process. The threads that serve the clocks are left out. Between the passes, the kernel is asked for new
// processes. All functions must be called on the same thread.
#ifndef PROCESS_TREE_H
#define PROCESS_TREE_H

#include <stdbool.h>

#include "shared_clock.h"

// Returns in words why this machine cannot show whether the tree is at rest; NULL if it can.
const char *tree_obstacle(void);
// Begins the examinations, before the first child is started. Returns false if too few descriptors are free.
bool tree_begin(struct shared_clock *shared);
// Examines the tree once. Returns true if no thread can run, no clock has woken a thread, and no clock still waits for
// data.
bool tree_is_at_rest(void);
// Whether there are too few descriptors to examine all processes; then the tree is never found at rest.
bool tree_lacks_descriptors(void);
// Notes that a thread of the tree may have run, or will run because of what the caller does next.
void tree_wakes(void);
// The earliest deadline of the tree: the time until then, the slot, and the index of the process. `tree_earliest` finds
// it in a tree at rest, and returns false if there is none.
struct tree_deadline {
    int64_t left;
    struct clock_slot *slot;
    size_t process;
};
bool tree_earliest(struct tree_deadline *earliest);
// Has the process of a deadline fire it, if the process still answers.
void tree_fire(const struct tree_deadline *deadline);
// Describes the thread because of which the tree was not at rest at the last examination.
void tree_describe_runner(char *text, size_t size);
// Ends the examinations, and kills the children of this process, and of those that it may not kill, because they have
// other rights, the descendants. The caller repeats the call while there is a child, because the children of a process
// that has ended become children of this process, whose numbers are not reused before this process has waited for
// them. Returns false after 1000 calls that have found a child that may not be killed.
bool tree_kill(void);

// Returns why a program's time cannot be virtual, in words that follow "it"; NULL if it can be.
const char *program_obstacle(const char *file);

#endif
