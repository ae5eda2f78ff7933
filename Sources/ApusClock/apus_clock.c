// `apus-clock`: runs a program, and all that it starts, in one virtual time.
#define _GNU_SOURCE
#include "process_tree.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

static const char help[] =
    "Runs a program, with every process that it starts, in virtual time: whenever none of them runs, time skips to\n"
    "the next instant for which one of them waits. The program need not be changed.\n"
    "\n"
    "  apus-clock [--wall INSTANT] [--stepped SOCKET] [--] COMMAND [ARGUMENT…]\n"
    "  apus-clock --to SOCKET REQUEST\n"
    "\n"
    "  --wall INSTANT    the time of day at the start: YYYY-MM-DDTHH:MM:SSZ, or now (default: 2026-01-01T00:00:00Z)\n"
    "  --stepped SOCKET  makes this socket, and lets time pass only by requests over it, each of which is a line\n"
    "  --to SOCKET       sends a request to such a socket, and prints the answer\n"
    "\n"
    "Requests:\n"
    "  now               prints the time\n"
    "  settle            waits until nothing runs\n"
    "  next              goes to the next instant for which something waits\n"
    "  advance DURATION  goes from instant to instant for this long: 90, 90s, 1.5h, 250ms, 7d\n"
    "\n"
    "The answer is `ok` and the time, `none` if nothing waits for an instant, or `error` and a sentence.\n"
    "\n"
    "The exit status is the command's; 128 plus a signal's number if the signal ended it; 126 if the command cannot\n"
    "have virtual time or cannot be run; 127 if it is not found; 2 for a usage error. When the command ends, the\n"
    "processes that it started are ended too.\n";

enum { usage_error = 2, cannot_run = 126, not_found = 127 };

static _Noreturn __attribute__((format(printf, 2, 3))) void fail(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("apus-clock: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

// MARK: Texts

// Reads a duration; returns false if the text is not a duration, or stands for more than 100 years.
static bool read_duration(const char *text, int64_t *nanoseconds) {
    static const struct {
        const char *name;
        double length;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}};
    char *end;
    if (*text < '0' || *text > '9') return false;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double value = number * units[i].length;
        if (strcmp(end, units[i].name) != 0) continue;
        *nanoseconds = value <= 100 * 366 * 86400e9 ? (int64_t)(value + 0.5) : 0;
        return value <= 100 * 366 * 86400e9;
    }
    return false;
}

static int64_t read_instant(const char *text) {
    if (strcmp(text, "now") == 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        return now.tv_sec * SECOND + now.tv_nsec;
    }
    struct tm date = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &date);
    time_t seconds = timegm(&date);
    if (!end || *end || seconds < 0 || seconds > FOREVER / SECOND / 2)
        fail(usage_error, "'%s' is not an instant; write 2026-01-01T00:00:00Z, or now", text);
    return seconds * SECOND;
}

// MARK: The command

// Returns the file that the shell would run for a command. Exits if there is none.
static const char *file_of(const char *command) {
    static char file[PATH_MAX];
    if (strchr(command, '/')) {
        if (access(command, F_OK) != 0) fail(not_found, "there is no file %s", command);
        return command;
    }
    const char *path = getenv("PATH");
    for (const char *place = path ? path : "/usr/bin:/bin"; place; place = strchr(place, ':') ? strchr(place, ':') + 1 : NULL) {
        int length = (int)strcspn(place, ":");
        snprintf(file, sizeof file, "%.*s/%s", length ? length : 1, length ? place : ".", command);
        struct stat status;
        if (stat(file, &status) == 0 && S_ISREG(status.st_mode) && access(file, X_OK) == 0) return file;
    }
    fail(not_found, "there is no command %s in PATH", command);
}

static void refuse_what_cannot_work(const char *file) {
    char line[PATH_MAX + 2] = "";
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor < 0 ? 0 : read(descriptor, line, sizeof line - 1);
    if (descriptor >= 0) close(descriptor);
    if (length > 2 && strncmp(line, "#!", 2) == 0) {
        char *interpreter = line + 2 + strspn(line + 2, " \t");
        interpreter[strcspn(interpreter, " \t\n")] = 0;
        file = interpreter;
    }
    const char *why = program_obstacle(file);
    if (why) fail(cannot_run, "time cannot be virtual for %s: it %s", file, why);
}

// Returns the path of the library, which is in the folder of this program, or in `../lib/apus` relative to that folder.
// Exits if the library is in neither folder.
static const char *library(void) {
    static char path[PATH_MAX + 32];
    static const char *const places[] = {"libapus-clock.so", "../lib/apus/libapus-clock.so"};
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0) fail(cannot_run, "/proc/self/exe cannot be read");
    own[length] = 0;
    *(strrchr(own, '/') + 1) = 0;
    if (strpbrk(own, " :"))
        fail(cannot_run, "the folder %s has a space or a colon in its name, which the dynamic linker does not accept", own);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s", own, places[i]);
        if (access(path, R_OK) == 0) return path;
    }
    fail(cannot_run, "libapus-clock.so is neither in %s nor in %s../lib/apus", own, own);
}

// MARK: The clock

static struct {
    struct shared_clock *shared;
    char file[64];
    const char *socket;
    int signals, listener;
    pid_t command;
    bool has_ended;
    int status;
    // The number of signals that were read.
    int64_t handled;
} own = {.listener = -1};

static void make_clock(int64_t wall) {
    snprintf(own.file, sizeof own.file, "/dev/shm/apus-clock.XXXXXX");
    int file = mkostemp(own.file, O_CLOEXEC);
    if (file < 0) {
        snprintf(own.file, sizeof own.file, "/tmp/apus-clock.XXXXXX");
        file = mkostemp(own.file, O_CLOEXEC);
    }
    if (file < 0 || ftruncate(file, sizeof *own.shared) != 0)
        fail(cannot_run, "cannot make a file in /dev/shm or /tmp: %s", strerror(errno));
    own.shared = mmap(NULL, sizeof *own.shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (own.shared == MAP_FAILED) fail(cannot_run, "the clock's file cannot be mapped: %s", strerror(errno));
    close(file);
    // Programs subtract time-outs from the uptime, so the uptime begins late enough for the results not to be negative.
    const int64_t uptime = 1000000 * SECOND;
    own.shared->readings[process_clock_uptime] = own.shared->readings[process_clock_continuous] = uptime;
    own.shared->readings[process_clock_wall] = wall;
    own.shared->owner = process_state(getpid()).identity;
    own.shared->namespaces = own_namespaces();
}

static void remove_files(void) {
    unlink(own.file);
    if (own.listener >= 0) unlink(own.socket);
}

static const char lack_of_descriptors[] = "the limit of open files is too low to examine all threads of the command";

static void end_for_lack_of_descriptors(void) {
    fprintf(stderr, "apus-clock: %s\n", lack_of_descriptors);
    own.has_ended = true, own.status = W_EXITCODE(cannot_run, 0);
}

static sigset_t handled_signals(void) {
    sigset_t handled;
    sigemptyset(&handled);
    const int numbers[] = {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&handled, numbers[i]);
    return handled;
}

// SIGINT and SIGQUIT from a terminal are not passed on, because the terminal has sent them to the command too.
static bool is_passed_on(int number, int code) {
    return number == SIGTERM || number == SIGHUP || (number != SIGCHLD && code == SI_USER);
}

static int exit_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

// A process that runs this program by `execve` keeps the children that it had before. They, and what becomes an orphan
// of them, do not belong to the command. Therefore such a process only waits for a child without children, in which this
// function returns, and passes signals on to it.
static void leave_earlier_children(void) {
    siginfo_t information;
    if (waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) return;
    sigset_t handled = handled_signals(), previous;
    sigprocmask(SIG_BLOCK, &handled, &previous);
    pid_t parent = getpid(), child = fork();
    if (child < 0) fail(cannot_run, "cannot start a process: %s", strerror(errno));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(cannot_run);
        sigprocmask(SIG_SETMASK, &previous, NULL);
        return;
    }
    int status;
    // The earlier children are waited for too, because otherwise they would stay zombies.
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) != child;) {
        if (ended > 0) continue;
        int number = sigwaitinfo(&handled, &information);
        if (number > 0 && is_passed_on(number, information.si_code)) kill(child, number);
    }
    _exit(exit_status(status));
}

static void start(char **arguments) {
    const char *file = file_of(arguments[0]), *object = library(), *before = getenv("LD_PRELOAD");
    refuse_what_cannot_work(file);
    sigset_t handled = handled_signals(), previous;
    sigprocmask(SIG_BLOCK, &handled, &previous);
    own.signals = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
    if (own.signals < 0) fail(cannot_run, "signals cannot be read: %s", strerror(errno));
    if (!tree_begin(own.shared)) fail(cannot_run, "%s", lack_of_descriptors);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    own.command = fork();
    if (own.command < 0) fail(cannot_run, "cannot start a process: %s", strerror(errno));
    if (own.command == 0) {
        sigprocmask(SIG_SETMASK, &previous, NULL);
        char preloaded[PATH_MAX * 2];
        snprintf(preloaded, sizeof preloaded, before && *before ? "%s:%s" : "%s", object, before);
        setenv("LD_PRELOAD", preloaded, 1);
        setenv(CLOCK_VARIABLE, own.file, 1);
        execv(file, arguments);
        fprintf(stderr, "apus-clock: %s cannot be run: %s\n", file, strerror(errno));
        _exit(cannot_run);
    }
    // The limit is raised because three files are open for each thread of the tree.
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    // With the default slack, each short sleep would be 50 µs longer.
    prctl(PR_SET_TIMERSLACK, 1);
}

// Passes signals on to the command, and waits for children that have ended. Returns false if there is no child.
static bool handle_signals(void) {
    struct signalfd_siginfo signal;
    while (read(own.signals, &signal, sizeof signal) == sizeof signal) {
        own.handled++;
        if (is_passed_on((int)signal.ssi_signo, signal.ssi_code) && !own.has_ended)
            kill(own.command, (int)signal.ssi_signo);
    }
    int status;
    pid_t process;
    while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
        if (process == own.command && !own.has_ended) own.has_ended = true, own.status = status;
    }
    return process == 0;
}

enum outcome { outcome_rest, outcome_ended, outcome_busy };

// Waits until nothing in the tree can run, the command has ended, or `limit` nanoseconds of the machine's time have
// passed.
static enum outcome settle(int64_t limit) {
    static bool has_warned;
    const int64_t patience = 10 * SECOND;
    int64_t start = process_clock_machine_time();
    for (int64_t passes = 1;; passes++) {
        handle_signals();
        if (own.has_ended) return outcome_ended;
        int64_t handled = own.handled;
        if (tree_is_at_rest()) {
            // The last threads of the tree that ran may have sent this process a signal, or have ended.
            handle_signals();
            if (own.has_ended) return outcome_ended;
            if (own.handled == handled) return outcome_rest;
        }
        if (tree_lacks_descriptors()) {
            end_for_lack_of_descriptors();
            return outcome_ended;
        }
        int64_t passed = process_clock_machine_time() - start;
        if (passed > limit) return outcome_busy;
        if (passed > patience && !has_warned) {
            char runner[128];
            tree_describe_runner(runner, sizeof runner);
            fprintf(stderr, "apus-clock: time has stood still for 10 s, because %s runs\n", runner);
            has_warned = true;
        }
        // The threads that run need this processor, so this thread yields it. If they run for long, this thread sleeps
        // before it examines them again, because a busy machine gives a processor last to a thread that never sleeps.
        if (passes < 10) sched_yield();
        else process_clock_machine_sleep(passes < 1000 ? 20000 : 1000000);
    }
}

static void move(int64_t duration) {
    for (int clock = 0; clock < 3; clock++) own.shared->readings[clock] += duration;
}

static int64_t reading(void) { return own.shared->readings[process_clock_continuous]; }

// Advances a tree at rest to the next deadline, and fires it. Returns false if there is no deadline within the next
// `within` nanoseconds.
static bool step(int64_t within) {
    struct tree_deadline deadline;
    if (!tree_earliest(&deadline) || deadline.left > within) return false;
    if (deadline.left > 0) move(deadline.left);
    tree_fire(&deadline);
    return true;
}

static void wait_for_signal(int64_t milliseconds) {
    struct pollfd polled = {.fd = own.signals, .events = POLLIN};
    poll(&polled, 1, (int)milliseconds);
}

static void run_by_itself(void) {
    int64_t idle = 0;
    while (settle(FOREVER) != outcome_ended) {
        if (step(FOREVER - 1)) {
            idle = 0;
            continue;
        }
        // There is no deadline, but a wait may have been released by a call that is not seen. Such waits therefore try
        // again.
        tree_wakes();
        wait_for_signal(idle < 100 ? 1 : 5);
        idle++;
    }
}

// MARK: Requests

// How long a request waits until no thread runs any more.
static const int64_t request_limit = 60 * SECOND;

static enum outcome advance(int64_t duration) {
    int64_t end = reading() + duration;
    enum outcome outcome;
    while ((outcome = settle(request_limit)) == outcome_rest) {
        // A sleep of zero length moves the clocks by a nanosecond, so they may be beyond the end.
        int64_t left = end > reading() ? end - reading() : 0;
        if (step(left)) continue;
        move(left);
        return outcome_rest;
    }
    return outcome;
}

static void describe(enum outcome outcome, char *answer, size_t size) {
    if (outcome == outcome_busy) {
        char runner[128];
        tree_describe_runner(runner, sizeof runner);
        snprintf(answer, size, "error %s has not become idle within a minute of the machine's time\n", runner);
        return;
    }
    if (outcome == outcome_ended) {
        snprintf(answer, size, "error the command has ended\n");
        return;
    }
    int64_t wall = own.shared->readings[process_clock_wall];
    time_t seconds = wall / SECOND;
    struct tm date;
    char text[64];
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &date));
    snprintf(answer, size, "ok %s.%09ldZ\n", text, (long)(wall % SECOND));
}

static void answer_request(const char *request, char *answer, size_t size) {
    int64_t duration;
    // Threads that were at rest after the last request may have been woken from outside of the tree.
    tree_wakes();
    if (strcmp(request, "now") == 0) {
        describe(outcome_rest, answer, size);
    } else if (strcmp(request, "settle") == 0) {
        describe(settle(request_limit), answer, size);
    } else if (strcmp(request, "next") == 0) {
        enum outcome outcome = settle(request_limit);
        bool is_made = outcome == outcome_rest && step(FOREVER - 1);
        if (outcome == outcome_rest && !is_made) snprintf(answer, size, "none\n");
        else describe(is_made ? settle(request_limit) : outcome, answer, size);
    } else if (strncmp(request, "advance ", 8) == 0) {
        if (read_duration(request + 8, &duration)) describe(advance(duration), answer, size);
        else snprintf(answer, size, "error '%s' is not a duration; write 90, 90s, 1.5h, 250ms or 7d\n", request + 8);
    } else {
        snprintf(answer, size, "error '%s' is not a request; the requests are now, settle, next and advance DURATION\n", request);
    }
}

// A connection, and the part of its next line that has arrived.
struct client {
    int socket;
    char line[256];
    size_t length;
};

// Answers the complete lines that have arrived. Returns false if the other end has closed, or has sent a line that is
// too long.
static bool serve(struct client *client) {
    ssize_t count = recv(client->socket, client->line + client->length, sizeof client->line - client->length, 0);
    if (count <= 0) return false;
    client->length += (size_t)count;
    for (char *end; (end = memchr(client->line, '\n', client->length)) && !own.has_ended;) {
        char answer[512];
        *end = 0;
        answer_request(client->line, answer, sizeof answer);
        send(client->socket, answer, strlen(answer), MSG_NOSIGNAL);
        client->length -= (size_t)(end + 1 - client->line);
        memmove(client->line, end + 1, client->length);
    }
    return client->length < sizeof client->line;
}

static void serve_requests(void) {
    enum { most = 16 };
    struct client clients[most];
    struct pollfd polled[most + 2];
    int count = 0;
    while (handle_signals(), !own.has_ended) {
        polled[0] = (struct pollfd){.fd = own.signals, .events = POLLIN};
        polled[1] = (struct pollfd){.fd = count < most ? own.listener : -1, .events = POLLIN};
        for (int i = 0; i < count; i++) polled[2 + i] = (struct pollfd){.fd = clients[i].socket, .events = POLLIN};
        if (poll(polled, (nfds_t)count + 2, -1) < 0) continue;
        for (int i = count; i-- > 0;) {
            if (polled[2 + i].revents == 0 || serve(&clients[i])) continue;
            close(clients[i].socket);
            clients[i] = clients[--count];
        }
        if (polled[1].revents == 0) continue;
        int socket = accept4(own.listener, NULL, NULL, SOCK_CLOEXEC);
        if (socket >= 0) clients[count++] = (struct client){.socket = socket};
    }
}

static struct sockaddr_un address_of(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        fail(usage_error, "the socket's path has more than %zu bytes: %s", sizeof address.sun_path - 1, path);
    strcpy(address.sun_path, path);
    return address;
}

static void listen_on(const char *path) {
    struct sockaddr_un address = address_of(path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    mode_t mask = umask(077);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 16) != 0)
        fail(usage_error, "the socket %s cannot be made: %s", path, strerror(errno));
    umask(mask);
    own.socket = path;
    own.listener = listener;
}

static int send_request(const char *path, char **words) {
    struct sockaddr_un address = address_of(path);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
        fail(1, "no clock answers at %s: %s", path, strerror(errno));
    char text[256] = "";
    for (; *words; words++) {
        if (strlen(text) + strlen(*words) + 2 > sizeof text) fail(usage_error, "the request is too long");
        strcat(text, *words);
        strcat(text, words[1] ? " " : "\n");
    }
    send(connection, text, strlen(text), MSG_NOSIGNAL);
    char answer[512];
    size_t length = 0;
    for (ssize_t count; length < sizeof answer - 1 && !memchr(answer, '\n', length); length += (size_t)count) {
        count = recv(connection, answer + length, sizeof answer - 1 - length, 0);
        if (count <= 0) fail(1, "the command has ended");
    }
    answer[length] = 0;
    bool is_error = strncmp(answer, "error ", 6) == 0;
    if (is_error) fprintf(stderr, "apus-clock: %s", answer + 6);
    else fputs(answer, stdout);
    return is_error;
}

// MARK: Its options

static const char *value_of(char **arguments) {
    if (!arguments[1]) fail(usage_error, "%s needs a value; see apus-clock --help", arguments[0]);
    return arguments[1];
}

int main(int count, char **arguments) {
    const char *wall = "2026-01-01T00:00:00Z", *stepped = NULL, *to = NULL;
    for (arguments++; *arguments && **arguments == '-'; arguments++) {
        const char *option = *arguments;
        if (strcmp(option, "--") == 0) {
            arguments++;
            break;
        }
        if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) return fputs(help, stdout) < 0;
        if (strcmp(option, "--wall") == 0) wall = value_of(arguments++);
        else if (strcmp(option, "--stepped") == 0) stepped = value_of(arguments++);
        else if (strcmp(option, "--to") == 0) to = value_of(arguments++);
        else fail(usage_error, "there is no option %s; see apus-clock --help", option);
    }
    if (!*arguments) fail(usage_error, "there is no %s; see apus-clock --help", to ? "request" : "command");
    if (to) return send_request(to, arguments);
    const char *obstacle = tree_obstacle();
    if (obstacle) fail(cannot_run, "time cannot be virtual on this machine: %s", obstacle);
    int64_t instant = read_instant(wall);
    // The caller may ignore SIGCHLD. This process would inherit that, and the kernel would discard the status of
    // children.
    signal(SIGCHLD, SIG_DFL);
    leave_earlier_children();
    make_clock(instant);
    atexit(remove_files);
    if (stepped) listen_on(stepped);
    start(arguments);
    if (stepped) serve_requests();
    else run_by_itself();
    while (handle_signals() && tree_kill()) process_clock_machine_sleep(SECOND / 1000);
    return exit_status(own.status);
}
