// Programs with threads that end, threads that are never at rest, the clock's own thread, and machines that do not
// count how often a thread has run.
#define _GNU_SOURCE
#include "program.h"

#include "CProcessClock.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *end_program(void *nothing) {
    for (int i = 0; i < 10; i++) sleep_for(ticks(1));
    exit(0);
    return nothing;
}

static void main_thread_ends(void) {
    start(end_program, NULL);
    pthread_exit(NULL);
}

static atomic_bool runs;

static void *spin(void *nothing) {
    while (atomic_load(&runs)) {}
    return nothing;
}

static void *advance(void *result) {
    process_clock_hold();
    *(int *)result = process_clock_advance(1000000000, 50000000);
    process_clock_release();
    return NULL;
}

// A limit ends an advance, also while time advances automatically and another thread advances it.
static void a_limit(void) {
    atomic_store(&runs, true);
    pthread_t spinner = start(spin, NULL), other;
    int results[2] = {0, 0};
    process_clock_machine_sleep(10000000);
    other = start(advance, &results[0]);
    advance(&results[1]);
    join(other);
    require(results[0] == ETIMEDOUT && results[1] == ETIMEDOUT);
    atomic_store(&runs, false);
    join(spinner);
}

// Reads a file of the kernel about a thread of this process.
static void read_of_thread(const char *thread, const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/%s", thread, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    require(file >= 0);
    ssize_t length = read(file, text, size - 1);
    require(length > 0 && close(file) == 0);
    text[length] = 0;
}

static bool is_in(uint64_t signals, int number) { return signals >> (number - 1) & 1; }

// The clock's own thread never handles a signal of the program, but a signal that reports a crash also reaches it.
static void signals_of_the_clock(void) {
    // The clock's thread makes a step here, so that it exists.
    sleep_for(ticks(1));
    int found = 0;
    DIR *threads = opendir("/proc/self/task");
    require(threads != NULL);
    for (struct dirent *entry; (entry = readdir(threads));) {
        char text[4096];
        if (entry->d_name[0] == '.') continue;
        read_of_thread(entry->d_name, "comm", text, sizeof text);
        if (strcmp(text, "process-clock\n") != 0) continue;
        found++;
        static const int handled_elsewhere[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD, SIGALRM};
        static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
        // While the clock's thread has the clock's lock, it blocks all signals, so its mask is read repeatedly.
        bool is_any_blocked = true;
        while (is_any_blocked) {
            read_of_thread(entry->d_name, "status", text, sizeof text);
            char *line = strstr(text, "SigBlk:");
            require(line != NULL);
            uint64_t blocked = strtoull(line + 7, NULL, 16);
            for (size_t i = 0; i < sizeof handled_elsewhere / sizeof *handled_elsewhere; i++)
                require(is_in(blocked, handled_elsewhere[i]));
            is_any_blocked = false;
            for (size_t i = 0; i < sizeof own / sizeof *own; i++) is_any_blocked |= is_in(blocked, own[i]);
        }
    }
    closedir(threads);
    require(found == 1);
}

static void write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | (access(path, F_OK) == 0 ? 0 : O_CREAT) | O_CLOEXEC, 0644);
    require(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
}

enum files_of_kernel { no_counts, constant_counts, counts_without_places };

static void cover_files(enum files_of_kernel files) {
    char folder[] = "/tmp/apus-proc.XXXXXX", path[64];
    require(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    require(mkdtemp(folder) != NULL && mount("none", folder, "tmpfs", 0, NULL) == 0);
    snprintf(path, sizeof path, "%s/thread-self", folder);
    require(mkdir(path, 0755) == 0);
    snprintf(path, sizeof path, "%s/thread-self/schedstat", folder);
    if (files != no_counts) write_file(path, "0 0 0\n");
    if (files == counts_without_places) require(mount("/proc/self/schedstat", path, NULL, MS_BIND, NULL) == 0);
    require(mount(folder, "/proc", NULL, MS_MOVE, NULL) == 0 && rmdir(folder) == 0);
}

static int begin_with(enum files_of_kernel files) {
    end_child_in_time();
    if (unshare(CLONE_NEWNS) != 0) {
        char map[64];
        unsigned user = geteuid(), group = getegid();
        require(unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0);
        snprintf(map, sizeof map, "0 %u 1", user);
        write_file("/proc/self/uid_map", map);
        write_file("/proc/self/setgroups", "deny");
        snprintf(map, sizeof map, "0 %u 1", group);
        write_file("/proc/self/gid_map", map);
    }
    cover_files(files);
    require(!process_clock_is_available());
    return process_clock_begin((struct process_clock_reading){0, 0, 0});
}

// Rest cannot be detected if the kernel does not count how often a thread has run, if this count never changes, or if
// the kernel does not say where threads sleep.
static void machines_that_do_not_count(void) {
    for (enum files_of_kernel files = no_counts; files <= counts_without_places; files++) {
        pid_t child = fork();
        if (child == 0) _exit(begin_with(files) == ENOTSUP && !process_clock_is_virtual() ? 0 : 1);
        expect_success(child);
    }
}

// MARK: What only seems to be at rest

enum { living_children = 1000, ended_children = 500 };
static atomic_bool has_reaped;

static void *reap(void *ends) {
    char byte;
    require(read(((int *)ends)[0], &byte, 1) == 1);
    for (int i = 0; i < ended_children; i++) require(waitpid(-1, NULL, 0) > 0);
    atomic_store(&has_reaped, true);
    read(((int *)ends)[0], &byte, 1);
    return NULL;
}

// While wait4 looks through the children of a thread, the thread has the state of a sleeping thread.
static void a_thread_takes_the_ends_of_children(void) {
    int ends[2];
    pid_t living[living_children];
    process_clock_hold();
    for (int i = 0; i < living_children; i++) {
        if ((living[i] = fork()) != 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (true) pause();
    }
    for (int i = 0; i < ended_children; i++) {
        pid_t child = fork();
        if (child == 0) _exit(0);
        siginfo_t information;
        require(child > 0 && waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT) == 0);
    }
    require(pipe2(ends, O_CLOEXEC) == 0);
    pthread_t reaper = start(reap, ends);
    require(process_clock_settle(30000000000) == 0);
    require(write(ends[1], "!", 1) == 1);
    require(process_clock_settle(30000000000) == 0 && atomic_load(&has_reaped));
    require(write(ends[1], "!", 1) == 1);
    join(reaper);
    for (int i = 0; i < living_children; i++) kill(living[i], SIGKILL);
    for (int i = 0; i < living_children; i++) require(waitpid(living[i], NULL, 0) == living[i]);
}

// Virtual time begins, and a thread runs, while no descriptor is free.
static void settle_without_descriptors(void) {
    end_child_in_time();
    require(process_clock_begin((struct process_clock_reading){0, 0, 0}) == 0);
    atomic_store(&runs, true);
    pthread_t spinner = start(spin, NULL);
    struct rlimit before, few;
    require(getrlimit(RLIMIT_NOFILE, &before) == 0);
    few = before;
    few.rlim_cur = 64;
    require(setrlimit(RLIMIT_NOFILE, &few) == 0);
    while (dup(1) >= 0) {}
    require(process_clock_settle(50000000) == ETIMEDOUT);
    require(process_clock_lacks_descriptors() && process_clock_running_thread() != 0);
    require(setrlimit(RLIMIT_NOFILE, &before) == 0);
    require(process_clock_settle(50000000) == ETIMEDOUT && !process_clock_lacks_descriptors());
    atomic_store(&runs, false);
    join(spinner);
    require(process_clock_settle(30000000000) == 0);
    _exit(0);
}

static void no_free_descriptors(void) {
    pid_t child = fork();
    if (child == 0) settle_without_descriptors();
    expect_success(child);
}

// Waits again and again, as Ruby does, until the clock has passed the deadline. A wait ends as soon as the clock has
// reached the deadline.
static void waits_until_the_deadline_has_passed(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    int64_t end = reading(CLOCK_MONOTONIC) + ticks(1);
    for (int64_t left; (left = end - reading(CLOCK_MONOTONIC)) >= 0;) {
        struct timespec timeout = time_of(left);
        require(ppoll(NULL, 0, &timeout, NULL) == 0);
    }
    end += ticks(1);
    require(pthread_mutex_lock(&mutex) == 0);
    while (reading(CLOCK_MONOTONIC) <= end) {
        struct timespec deadline = time_of(end);
        require(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    }
    require(pthread_mutex_unlock(&mutex) == 0);
    if (time_is_virtual()) require(reading(CLOCK_MONOTONIC) == end + 1);
}

// The memory that a process shares with its child, which posts the semaphore and lives in the machine's time.
static struct {
    sem_t post, answer;
    atomic_int rounds_begun, rounds_posted;
    // `reached` is the last deadline that a thread of the parent has reached; `received` is the instant at which the
    // post was received.
    _Atomic int64_t reached, received;
} *shared;

static void *receive_post(void *nothing) {
    struct timespec deadline = time_after(CLOCK_REALTIME, ticks(1000000));
    require(sem_timedwait(&shared->post, &deadline) == 0);
    atomic_store(&shared->received, reading(CLOCK_MONOTONIC));
    return nothing;
}

static void *receive_posts(void *rounds) {
    for (int round = 0; round < *(int *)rounds; round++) {
        receive_post(NULL);
        require(sem_post(&shared->answer) == 0);
    }
    atomic_store(&runs, false);
    return NULL;
}

enum { rounds_of_posts = 100 };

static void await_round(int round) {
    while (atomic_load(&shared->rounds_begun) < round) sched_yield();
}

// The duration is a parameter, because ticks of the child would be those of the machine's time.
static void post(int64_t two_ticks) {
    require(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    for (int round = 1; round <= rounds_of_posts; round++) {
        await_round(round);
        sem_post(&shared->post);
        atomic_store(&shared->rounds_posted, round);
    }
    await_round(rounds_of_posts + 1);
    for (int round = 0; round < rounds_of_posts; round++) {
        sem_post(&shared->post);
        // The parent may have advanced by one deadline since it stored `reached`. Until the post is received, it may
        // advance by one more, so by two ticks in all.
        int64_t latest = atomic_load(&shared->reached) + two_ticks;
        while (sem_wait(&shared->answer) != 0) {}
        if (atomic_load(&shared->received) > latest) _exit(2);
    }
    _exit(0);
}

// A post by another process is received at the instant at which it comes if a thread runs meanwhile, and otherwise at
// the next deadline at the latest.
static void posts_of_another_process(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(shared != MAP_FAILED && sem_init(&shared->post, 1, 0) == 0 && sem_init(&shared->answer, 1, 0) == 0);
    int64_t two_ticks = ticks(2);
    pid_t child = fork();
    if (child == 0) post(two_ticks);
    for (int round = 1; round <= rounds_of_posts; round++) {
        pthread_t receiver = start(receive_post, NULL);
        atomic_store(&shared->rounds_begun, round);
        while (atomic_load(&shared->rounds_posted) < round) sched_yield();
        int64_t now = reading(CLOCK_MONOTONIC);
        sleep_for(ticks(1));
        join(receiver);
        require(atomic_load(&shared->received) == now);
    }
    int rounds = rounds_of_posts;
    atomic_store(&runs, true);
    pthread_t receiver = start(receive_posts, &rounds);
    while (atomic_load(&runs)) {
        atomic_store(&shared->reached, reading(CLOCK_MONOTONIC));
        atomic_store(&shared->rounds_begun, rounds_of_posts + 1);
        sleep_for(ticks(1));
    }
    join(receiver);
    expect_success(child);
}

const struct program thread_programs[] = {
    {"the main thread ends before the others", main_thread_ends, false},
    {"a limit holds while time advances by itself", a_limit, true},
    {"the clock's thread takes none of the program's signals", signals_of_the_clock, true},
    {"a machine that does not say how threads run and sleep", machines_that_do_not_count, true},
    {"a thread that takes the ends of children is not at rest", a_thread_takes_the_ends_of_children, true},
    {"without free descriptors, nothing is at rest", no_free_descriptors, true},
    {"a wait is repeated until the clock has passed the deadline", waits_until_the_deadline_has_passed, false},
    {"another process posts a semaphore", posts_of_another_process, true},
    {NULL, NULL, false},
};
