// The table of processes of apus-clock, without a clock: which searches find something, what an examination reads, and
// which calls end processes.
#include "../../Sources/ApusClock/process_tree.c"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define require(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "process_table.c:%d: error: not so: %s\n", __LINE__, #condition);                          \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static int ends[2], answers[2];

static void *answer(void *nothing) {
    char byte = 0;
    require(write(answers[1], &byte, 1) == 1);
    pause();
    return nothing;
}

// Starts a thread for each byte.
static _Noreturn void start_threads(void) {
    char byte;
    pthread_t thread;
    while (read(ends[0], &byte, 1) == 1) require(pthread_create(&thread, NULL, answer, NULL) == 0);
    _exit(0);
}

static void threads_are_changes(void) {
    char byte = 0;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        start_threads();
    }
    find_processes();
    require(own.has_changed);
    find_processes();
    require(!own.has_changed);
    require(write(ends[1], &byte, 1) == 1 && read(answers[0], &byte, 1) == 1);
    find_processes();
    require(own.has_changed);
    require(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    find_processes();
    require(own.has_changed && own.count == 0);
}

// Writes a byte for each byte.
static _Noreturn void echo(void) {
    char byte;
    pthread_t thread;
    for (int i = 0; i < 20; i++) require(pthread_create(&thread, NULL, answer, NULL) == 0);
    while (read(ends[0], &byte, 1) == 1) require(write(answers[1], &byte, 1) == 1);
    _exit(0);
}

// Returns how many reading calls this process has made.
static long reading_calls(void) {
    char text[256];
    int file = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
    require(read_text(file, text, sizeof text) > 0 && close(file) == 0);
    const char *count = strstr(text, "syscr: ");
    require(count);
    return strtol(count + 7, NULL, 10);
}

// Without a clock, the process looks as if it were about to join.
static void settle_without_clocks(void) {
    while (!tree_is_at_rest()) {
        for (size_t i = 0; i < own.count; i++) own.processes[i].is_excused = true;
    }
}

static void a_thread_that_does_not_run_is_read_twice(void) {
    char byte = 0;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        echo();
    }
    for (int i = 0; i < 20; i++) require(read(answers[0], &byte, 1) == 1);
    for (int i = 0; i < 3; i++) settle_without_clocks();
    require(own.count == 1 && own.processes[0].count == 21);
    // A process that begins elsewhere on the machine causes a search.
    long begun, calls;
    do {
        begun = read_last_process();
        settle_without_clocks();
        long before = reading_calls();
        bool is_at_rest = tree_is_at_rest();
        // Besides, the number of the machine's last process is read three times, and the count itself once.
        calls = reading_calls() - before - 4;
        require(is_at_rest || read_last_process() != begun);
    } while (read_last_process() != begun);
    require(calls == 2 * 21);
    for (int i = 0; i < 100; i++) {
        require(write(ends[1], &byte, 1) == 1 && read(answers[0], &byte, 1) == 1);
        require(!tree_is_at_rest());
        for (int j = 0; j < 3; j++) settle_without_clocks();
    }
    require(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    find_processes();
    require(own.count == 0);
}

// The kernel may leave out a child once.
static void one_pass_in_vain_is_not_the_end(void) {
    pid_t child = fork();
    if (child == 0) {
        // It ends with its parent.
        require(setresuid(1, 1, 1) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
        _exit(pause());
    }
    require(setresuid(-1, 65534, -1) == 0);
    // Until it is another user's.
    while (kill(child, 0) == 0) sched_yield();
    require(kill(child, SIGKILL) != 0 && errno == EPERM);
    require(tree_kill() && tree_kill());
    while (tree_kill()) {}
    require(setresuid(-1, 0, -1) == 0 && kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
}

int main(void) {
    static struct shared_clock shared;
    require(pipe(ends) == 0 && pipe(answers) == 0);
    require(tree_begin(&shared));
    threads_are_changes();
    a_thread_that_does_not_run_is_read_twice();
    one_pass_in_vain_is_not_the_end();
}
