// Finds the processes of the tree and their threads, and examines them. This file owns the table of processes and
// threads; three files are open for each thread.
#define _GNU_SOURCE
#include "process_tree.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

struct thread {
    int id;
    int state, schedule, place;  // the descriptors of its files
    uint64_t activity, activity_at_rest;  // how much it has run: at the last reading; when the tree was last at rest
    // `is_quiet`: whether the thread was asleep when the tree was at rest the last two times, and is not known to have
    // run since the first of them.
    bool is_there, serves_clock, is_quiet;
};

struct process {
    uint64_t identity;
    int id, folder;
    struct thread *threads;
    size_t count, capacity;
    bool is_there;
    // The program that the process runs, and the instant at which that program was first seen. The instant is used
    // while the process has not joined.
    dev_t device;
    ino_t file;
    int64_t since;
    // Whether the user has been informed that the process runs in the machine's time.
    bool is_excused;
    // The `joined` of a slot whose thread had ended by the last search: since then, the process has run a program that
    // has not joined. 0 without such a slot.
    unsigned left;
    unsigned examined_joined;
    // The number of waits that had been released unseen when the process's clock last answered order_prepare or
    // order_try.
    uint64_t released;
};

static struct {
    struct shared_clock *shared;
    struct process *processes;
    size_t count, capacity;
    int last_process_file, children_file;
    // The number of the process or thread that began last on this machine, as read at two times: at the last search,
    // and at the last search after which the tree was found at rest.
    long last_process, searched_process;
    // `must_search`: whether the last search for processes has to be repeated before the next examination, because a
    // thread has ended, or because a process without a clock may have started the thread that serves its clock.
    // `has_changed`: whether the last search has found or lost a thread, as it does with each process.
    bool must_search, has_changed;
    // Whether the waits whose releases are not seen have tried again since the tree came to rest.
    bool has_tried;
    // Whether a file could not be opened because too many files are open.
    bool lacks_descriptors;
    unsigned orders;
    int runner, runner_process;
} own;

// MARK: Files of the kernel

// Returns `file`, and notes if -1 means that there was no descriptor for it. In any other case, -1 means that the
// process or thread has ended.
static int opened(int file) {
    own.lacks_descriptors |= file < 0 && (errno == EMFILE || errno == ENFILE);
    return file;
}

static int open_kernel_file(const char *path) { return opened(open(path, O_RDONLY | O_CLOEXEC)); }

static uint64_t identity_of(int process) {
    errno = 0;
    uint64_t identity = process_state(process).identity;
    opened(identity == 0 ? -1 : 0);
    return identity;
}

static ssize_t read_text(int file, char *text, size_t size) {
    ssize_t length = pread(file, text, size - 1, 0);
    if (length >= 0) text[length] = 0;
    return length;
}

// Stopped threads and zombies count as asleep: a stopped thread does not run, and a zombie is a thread that has ended
// before its process, or a process whose parent has not waited for it.
static bool is_asleep(int file) {
    char state = thread_state(file);
    if (state == 0) own.must_search = true;
    return state != 0 && strchr("STtZ", state);
}

static bool is_off_processor(const struct thread *thread) {
    return thread_is_off_processor(thread->place) || thread_state(thread->state) == 'Z';
}

static bool is_stopped(const struct process *process) {
    for (size_t i = 0; i < process->count; i++) {
        const struct thread *thread = &process->threads[i];
        if (thread->id == process->id) return strchr("TtZ", thread_state(thread->state)) != NULL;
    }
    return true;
}

static long read_last_process(void) {
    char text[128];
    if (read_text(own.last_process_file, text, sizeof text) <= 0) return -1;
    const char *space = strrchr(text, ' ');
    return space ? strtol(space, NULL, 10) : -1;
}

const char *tree_obstacle(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    if (access(path, R_OK) != 0) return "this kernel does not list the children of processes";
    return thread_files_obstacle();
}

bool tree_begin(struct shared_clock *shared) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    own.shared = shared;
    own.last_process_file = open_kernel_file("/proc/loadavg");
    own.children_file = open_kernel_file(path);
    own.last_process = own.searched_process = -1;
    return own.last_process_file >= 0 && own.children_file >= 0;
}

// MARK: The table

static void *grown(void *rows, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return rows;
    *capacity = *capacity ? 2 * *capacity : 16;
    void *more = realloc(rows, *capacity * size);
    if (!more) abort();
    return more;
}

static void forget_thread(struct process *process, size_t index) {
    close(process->threads[index].state);
    close(process->threads[index].schedule);
    close(process->threads[index].place);
    process->threads[index] = process->threads[--process->count];
    own.has_changed = true;
}

static void forget_process(size_t index) {
    struct process *process = &own.processes[index];
    while (process->count > 0) forget_thread(process, process->count - 1);
    free(process->threads);
    close(process->folder);
    own.processes[index] = own.processes[--own.count];
}

static struct process *row_of(int id) {
    for (size_t i = 0; i < own.count; i++) {
        if (own.processes[i].id == id) return &own.processes[i];
    }
    return NULL;
}

// Returns the row of a process, which is added if it is new; NULL if the process has ended.
static struct process *process_with(int id) {
    struct process *row = row_of(id);
    if (row) return row;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", id);
    int folder = open_kernel_file(path);
    if (folder < 0) return NULL;
    own.processes = grown(own.processes, own.count, &own.capacity, sizeof(struct process));
    struct process *process = &own.processes[own.count++];
    *process = (struct process){
        .identity = identity_of(id), .id = id, .folder = folder, .since = process_clock_machine_time()};
    return process;
}

static int open_file(const struct process *process, int thread, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "%d/%s", thread, name);
    return opened(openat(process->folder, path, O_RDONLY | O_CLOEXEC));
}

static void add_thread(struct process *process, int id) {
    for (size_t i = 0; i < process->count; i++) {
        if (process->threads[i].id != id) continue;
        process->threads[i].is_there = true;
        return;
    }
    struct thread thread = {
        .id = id, .state = open_file(process, id, "stat"), .schedule = open_file(process, id, "schedstat"),
        .place = open_file(process, id, "wchan"), .activity = UINT64_MAX, .activity_at_rest = UINT64_MAX,
        .is_there = true};
    process->threads = grown(process->threads, process->count, &process->capacity, sizeof(struct thread));
    process->threads[process->count++] = thread;
    own.has_changed = true;
}

// MARK: Finding processes

// Returns the text of a `children` file, for for_each_child.
static char *read_children(int file) {
    size_t size = 4096, length = 0;
    char *text = malloc(size);
    if (!text) abort();
    ssize_t part;
    while ((part = pread(file, text + length, size - length - 1, (off_t)length)) > 0) {
        length += (size_t)part;
        if (size - length < 1024 && !(text = realloc(text, size *= 2))) abort();
    }
    text[length] = 0;
    return text;
}

// Calls `use` with each process that the text of a `children` file lists, and frees the text.
static void for_each_child(char *text, void (*use)(int, void *), void *argument) {
    char *place = text;
    for (long id; (id = strtol(place, &place, 10)) > 0;) use((int)id, argument);
    free(text);
}

static bool add_listed_thread(int32_t id, void *process) {
    add_thread(process, id);
    return true;
}

static struct clock_slot *slot_of(const struct process *process) {
    for (int i = 0; i < slot_count && process->identity != 0; i++) {
        if (atomic_load(&own.shared->slots[i].process) == process->identity) return &own.shared->slots[i];
    }
    return NULL;
}

static bool has_thread(const struct process *process, int id) {
    for (size_t i = 0; i < process->count; i++) {
        if (process->threads[i].id == id) return true;
    }
    return false;
}

// Finds the threads of a process. The slot is read before they are listed, and its `joined` before its thread. So if
// the thread is not listed, it has ended, or the kernel has left it out because another thread ended meanwhile.
// Therefore the tree is not at rest before a search has found the same threads as the one before.
static void find_threads(struct process *process) {
    const struct clock_slot *slot = slot_of(process);
    unsigned joined = slot ? atomic_load(&slot->joined) : 0;
    int server = slot ? atomic_load(&slot->thread) : 0;
    for (size_t i = 0; i < process->count; i++) process->threads[i].is_there = false;
    for_each_number(process->folder, add_listed_thread, process);
    for (size_t i = process->count; i-- > 0;) {
        if (!process->threads[i].is_there) forget_thread(process, i);
    }
    process->left = server != 0 && !has_thread(process, server) ? joined : 0;
}

// Finds the threads of a process, and then the children that each of them has made.
static void find_process(int id, void *nothing) {
    struct process *process = process_with(id);
    if (!process || process->is_there) return;
    process->is_there = true;
    find_threads(process);
    // The row is found by its index, because the table moves in memory when it grows.
    size_t place = (size_t)(process - own.processes), count = process->count;
    for (size_t i = 0; i < count; i++) {
        int children = open_file(&own.processes[place], own.processes[place].threads[i].id, "children");
        char *text = read_children(children);
        close(children);
        for_each_child(text, find_process, NULL);
    }
}

// Finds the processes that have slots, and frees the slots of processes that have ended. A process with a slot may have
// begun and ended without having been found, and its number may be that of another process by now.
static void find_joined_processes(void) {
    for (int i = 0; i < slot_count; i++) {
        struct clock_slot *slot = &own.shared->slots[i];
        uint64_t process = atomic_load(&slot->process);
        if (process == 0) continue;
        const struct process *row = row_of(process_of(process));
        if (row && row->is_there && row->identity == process) continue;
        if (identity_of(process_of(process)) == process) {
            find_process(process_of(process), NULL);
        } else if (!own.lacks_descriptors) {
            atomic_store(&slot->thread, 0);
            atomic_store(&slot->process, 0);
        }
    }
}

// Finds all processes of the tree. The kernel may leave out children while others of the same parent end. So a process
// that was found stays in the table until it has no threads, and a process with a slot is found by the slot.
static void find_processes(void) {
    own.last_process = read_last_process();
    own.must_search = own.has_changed = own.lacks_descriptors = false;
    for (size_t i = 0; i < own.count; i++) own.processes[i].is_there = false;
    for_each_child(read_children(own.children_file), find_process, NULL);
    find_joined_processes();
    for (size_t i = 0; i < own.count; i++) find_process(own.processes[i].id, NULL);
    for (size_t i = own.count; i-- > 0;) {
        if (own.processes[i].count == 0) forget_process(i);
    }
}

// MARK: Joining

// Marks the thread that serves the clock. Returns false if the process has not joined; a slot with the process's number
// may be left from the program that the process ran before.
static bool has_joined(struct process *process, const struct clock_slot *slot) {
    bool is_found = false;
    for (size_t i = 0; i < process->count; i++) {
        struct thread *thread = &process->threads[i];
        thread->serves_clock = slot && thread->id == atomic_load(&slot->thread);
        is_found |= thread->serves_clock;
    }
    return is_found;
}

static void say(const struct process *process, const char *why) {
    char path[64], name[64] = "?";
    snprintf(path, sizeof path, "/proc/%d/comm", process->id);
    int file = open_kernel_file(path);
    if (file >= 0 && read_text(file, name, sizeof name) > 0) name[strcspn(name, "\n")] = 0;
    close(file);
    fprintf(stderr, "apus-clock: %s (process %d) runs in the machine's time: it %s\n", name, process->id, why);
}

// Returns whether the kernel hides which program a process runs and where its threads sleep, because the process has
// other rights or is not dumpable. Otherwise it finds the program, which stays zero if the process has ended.
static bool is_hidden(const struct process *process, struct stat *program) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", process->id);
    return stat(path, program) != 0 && errno == EACCES;
}

// Returns whether the tree may be at rest although this sleeping process has no clock: either the process cannot have a
// clock, or it has not joined in time.
static bool is_excused(struct process *process) {
    char path[64];
    struct stat program = {0};
    snprintf(path, sizeof path, "/proc/%d/exe", process->id);
    // A zombie has no program, but the kernel hides this too if the zombie is of another user.
    if (process->count == 1 && thread_state(process->threads[0].state) == 'Z') return true;
    bool is_program_hidden = is_hidden(process, &program);
    if (program.st_ino == 0 && !is_program_hidden) return true;
    if (program.st_dev != process->device || program.st_ino != process->file) {
        process->device = program.st_dev, process->file = program.st_ino;
        process->since = process_clock_machine_time();
        process->is_excused = false;
    }
    if (process->is_excused) return true;
    const char *why = program_obstacle(path);
    // A process gets two seconds to join, because the dynamic linker may wait for a slow disk, and a child for its
    // parent.
    if (!why && process_clock_machine_time() - process->since > 2 * SECOND)
        why = is_program_hidden ? "has other rights, so the dynamic linker did not load the clock"
                                : "was started without LD_PRELOAD, or forked by a system call without libc";
    if (!why) return false;
    say(process, why);
    process->is_excused = true;
    return true;
}

// Reports a joined process whose waits are not seen, such as a program of Go that is dynamically linked.
static void examine_program(struct process *process, const struct clock_slot *slot) {
    unsigned joined = atomic_load(&slot->joined);
    if (process->examined_joined == joined) return;
    process->examined_joined = joined;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", process->id);
    const char *why = program_obstacle(path);
    if (why) say(process, why);
}

// MARK: Orders

// Sends an order, and does not wait for the answer.
static void send_order(struct clock_slot *slot, enum clock_order kind) {
    own.orders++;
    atomic_store(&slot->order, own.orders << order_bits | kind);
    syscall(SYS_futex, &slot->order, FUTEX_WAKE, 1, NULL);
}

// Waits for the answer to the last order. Returns false if the process has ended, is stopped, or runs another program.
static bool await_answer(const struct process *process, struct clock_slot *slot) {
    unsigned order = atomic_load(&slot->order), joined = atomic_load(&slot->joined), answer;
    while ((answer = atomic_load(&slot->answer)) != order) {
        const struct timespec moment = {.tv_nsec = 2000000};
        if (syscall(SYS_futex, &slot->answer, FUTEX_WAIT, answer, &moment) == 0 || errno != ETIMEDOUT) continue;
        if (atomic_load(&slot->joined) != joined || is_stopped(process)) return false;
        bool is_there = false;
        for (size_t i = 0; i < process->count; i++)
            is_there |= process->threads[i].serves_clock && thread_state(process->threads[i].state) != 0;
        if (!is_there) return false;
    }
    return true;
}

// MARK: Examinations

void tree_describe_runner(char *text, size_t size) {
    char path[64], name[32] = "?";
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", own.runner_process, own.runner);
    int file = open_kernel_file(path);
    if (file >= 0 && read_text(file, name, sizeof name) > 0) name[strcspn(name, "\n")] = 0;
    close(file);
    snprintf(text, size, "thread %d (%s) of process %d", own.runner, name, own.runner_process);
}

static void move_to_front(struct process *process, size_t index) {
    struct thread thread = process->threads[index];
    memmove(&process->threads[1], &process->threads[0], index * sizeof thread);
    process->threads[0] = thread;
}

// Where the kernel does not show the place of a thread of a hidden process, the state has to be enough.
static bool is_off_processor_at_last(const struct process *process, const struct thread *thread) {
    struct stat program;
    bool is_off = is_off_processor(thread) || (is_hidden(process, &program) && is_asleep(thread->state));
    return is_off && (thread->is_quiet || is_asleep(thread->state));
}

// Whether all threads are asleep, and all processes have joined or are excused.
//
// The first pass includes the threads that serve clocks. Such a thread may still be ending when the program's own
// threads have ended, and the end of the process is announced only after it. It leaves out the quiet threads, most of
// which have not run. The last pass leaves out the threads that serve clocks. It is exact for the others: a thread may
// look asleep in the first pass while it is still on a processor, and the last pass finds that out. The place of a quiet
// thread is enough for that: what has not run since it was asleep cannot have come to wait for a disk.
static bool all_are_asleep(bool is_last) {
    for (size_t p = 0; p < own.count; p++) {
        struct process *process = &own.processes[p];
        struct clock_slot *slot = slot_of(process);
        bool is_served = has_joined(process, slot);
        if (is_served) examine_program(process, slot);
        for (size_t i = 0; i < process->count; i++) {
            struct thread *thread = &process->threads[i];
            if (is_last ? thread->serves_clock : thread->is_quiet && !thread->serves_clock) continue;
            if (is_last ? is_off_processor_at_last(process, thread) : is_asleep(thread->state)) continue;
            own.runner = thread->id, own.runner_process = process->id;
            thread->is_quiet = false;
            // A thread that runs now is likely to run at the next examination, which therefore begins with it.
            move_to_front(process, i);
            return false;
        }
        // The process may be about to start the thread that serves its clock, or have started it since the last search.
        bool may_be_served =
            !is_served && slot && (atomic_load(&slot->thread) == 0 || atomic_load(&slot->joined) != process->left);
        own.must_search |= may_be_served;
        if (may_be_served || (!is_served && !is_excused(process))) {
            own.runner = own.runner_process = process->id;
            return false;
        }
    }
    return true;
}

// Reads how much the threads of the programs have run: all threads, or only those that are not quiet, since the earlier
// reading of a quiet thread will do. Returns whether none of them has run or ended since it was last read.
static bool none_has_run(bool is_last) {
    bool none = true;
    for (size_t p = 0; p < own.count; p++) {
        for (size_t i = 0; i < own.processes[p].count; i++) {
            struct thread *thread = &own.processes[p].threads[i];
            uint64_t activity = 0;
            if (thread->serves_clock || (thread->is_quiet && !is_last)) continue;
            if (!thread_activity(thread->schedule, &activity)) own.must_search = true;
            if (activity == thread->activity) continue;
            none = thread->is_quiet = false;
            thread->activity = activity;
        }
    }
    return none && !own.must_search;
}

static void note_rest(void) {
    for (size_t p = 0; p < own.count; p++) {
        for (size_t i = 0; i < own.processes[p].count; i++) {
            struct thread *thread = &own.processes[p].threads[i];
            thread->is_quiet = !thread->serves_clock && thread->activity == thread->activity_at_rest;
            thread->activity_at_rest = thread->activity;
        }
    }
}

// Sends an order to all clocks, or only to those with a wait that may be released. All orders are sent before an answer
// is awaited, so that the clocks carry them out side by side. Returns false if a clock has woken a thread or waits for
// the kernel's delivery, or if its process has ended or runs another program.
static bool order_all(enum clock_order kind) {
    bool is_quiet = true;
    for (int times = 0; times < 2; times++) {
        for (size_t p = 0; p < own.count; p++) {
            struct process *process = &own.processes[p];
            struct clock_slot *slot = slot_of(process);
            if (!has_joined(process, slot)) continue;
            if (kind == order_try && !atomic_load(&slot->may_be_released)) continue;
            if (times == 0) {
                send_order(slot, kind);
            } else if (!await_answer(process, slot)) {
                atomic_store(&slot->left, FOREVER);
                is_quiet &= is_stopped(process);
            } else {
                is_quiet &= !atomic_load(&slot->has_moved);
                own.has_tried &= atomic_load(&slot->released) == process->released;
                process->released = atomic_load(&slot->released);
            }
        }
    }
    return is_quiet;
}

// Makes the waits whose releases are not seen try again, once after the tree has come to rest. If one of them has
// ended, they try once more, because the thread of the ended wait may have released another one.
static bool try_all(void) {
    if (own.has_tried) return true;
    own.has_tried = true;
    return order_all(order_try);
}

void tree_wakes(void) { own.has_tried = false; }

// A process that is being forked has its number before it is in the list of its parent's children. A search therefore
// counts only if the parent has not run meanwhile, which the readings before and after the search show. Without a search
// here, no process has begun since the last one that counted.
bool tree_is_at_rest(void) {
    // A search also frees the slots of processes that have ended. If many processes or threads have begun since the
    // last search, another one is therefore made even while something runs, before all slots are in use.
    long begun = read_last_process() - own.last_process;
    if (own.must_search || begun < 0 || begun > slot_count / 4) find_processes();
    // The clocks get orders only when no thread that has run lately is awake, because on a busy machine each order takes
    // a processor from a thread that runs.
    if (!all_are_asleep(false)) return false;
    none_has_run(false);
    if (own.must_search) return false;
    if (own.has_changed || read_last_process() != own.searched_process) {
        find_processes();
        if (own.has_changed) return false;
    }
    if (!order_all(order_prepare) || !all_are_asleep(true) || !none_has_run(true)) return false;
    if (read_last_process() != own.last_process) return false;
    own.searched_process = own.last_process;
    if (own.lacks_descriptors) return false;
    note_rest();
    return try_all();
}

bool tree_lacks_descriptors(void) { return own.lacks_descriptors; }

// Finds the earliest deadline. If several deadlines are equal, it finds the one whose slot is the first in the table.
bool tree_earliest(struct tree_deadline *earliest) {
    bool is_any = false;
    for (size_t p = 0; p < own.count; p++) {
        struct clock_slot *slot = slot_of(&own.processes[p]);
        if (!has_joined(&own.processes[p], slot)) continue;
        int64_t left = atomic_load(&slot->left);
        if (left == FOREVER) continue;
        if (is_any && (left > earliest->left || (left == earliest->left && slot > earliest->slot))) continue;
        *earliest = (struct tree_deadline){left, slot, p};
        is_any = true;
    }
    return is_any;
}

void tree_fire(const struct tree_deadline *deadline) {
    tree_wakes();
    send_order(deadline->slot, order_fire);
    await_answer(&own.processes[deadline->process], deadline->slot);
}

// MARK: The end

static bool is_refused;

// A process that may not be killed, whose descendants are: its number, and its open folder in `/proc`, which stands for
// the process even when its number is given to another one.
struct survivor {
    int id, folder;
};

static long signal_to(const struct survivor *process, int number) {
    return syscall(SYS_pidfd_send_signal, process->folder, number, NULL, 0);
}

static void kill_descendants(const struct survivor *parent);

// Kills a process that was listed as a child of `parent`. It is the child of that number if both processes are still
// there after the number of its parent was read.
static void kill_descendant(int id, void *parent) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d", id);
    struct survivor child = {id, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (child.folder < 0) return;
    struct process_state state = process_state(id);
    bool is_child = state.identity != 0 && state.parent == ((struct survivor *)parent)->id
        && (signal_to(parent, 0) == 0 || errno == EPERM);
    if (is_child && signal_to(&child, SIGKILL) != 0 && errno == EPERM) kill_descendants(&child);
    close(child.folder);
}

static bool kill_children_of_thread(int32_t thread, void *parent) {
    char path[64];
    snprintf(path, sizeof path, "task/%d/children", thread);
    int children = openat(((struct survivor *)parent)->folder, path, O_RDONLY | O_CLOEXEC);
    char *text = read_children(children);
    close(children);
    for_each_child(text, kill_descendant, parent);
    return true;
}

static void kill_descendants(const struct survivor *parent) {
    int threads = openat(parent->folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for_each_number(threads, kill_children_of_thread, (void *)parent);
    close(threads);
}

static void kill_child(int id, void *nothing) {
    if (kill(id, SIGKILL) == 0) return;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d", id);
    struct survivor child = {id, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    kill_descendants(&child);
    close(child.folder);
    is_refused = true;
}

bool tree_kill(void) {
    // One pass is not enough, because the kernel may leave out children while others of the same parent end. A process
    // that may not be killed may start others as fast as they are killed, so the passes are limited although they kill.
    enum { enough = 1000 };
    static int refused_passes;
    is_refused = false;
    // The descriptors are needed to find the descendants of processes that may not be killed.
    while (own.count > 0) forget_process(own.count - 1);
    for_each_child(read_children(own.children_file), kill_child, NULL);
    refused_passes += is_refused;
    return refused_passes < enough;
}
