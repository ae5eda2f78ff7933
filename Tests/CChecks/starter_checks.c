// Checks of the processes that CProcessClock starts: a process for a test, and the processes of simulated apps, which
// a launcher forks.
#define _GNU_SOURCE
#include "checks.h"

#include "CProcessClock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: A process for a test

static int start(const char *path, const char *const *arguments, struct test_process *started) {
    char **argv = exact_texts(arguments), **envp = exact_texts((const char *const[]){"A=1", NULL});
    char *copy = exact_text(path);
    int error = test_process_start(copy, argv, envp, started);
    free(copy);
    free_texts(argv);
    free_texts(envp);
    return error;
}

static void end(struct test_process process, int wanted) {
    int status;
    test_process_wait(process.process);
    require(waitpid(process.process, &status, 0) == process.process && status == wanted);
    close(process.events);
    close(process.errors);
    close(process.control);
}

static void test_processes(void) {
    struct test_process process;
    const char *script = "echo error >&2; echo event >&3; echo answer >&4; read line <&4; exit 3";
    const char *arguments[] = {"sh", "-c", script, NULL};
    require(start("/bin/sh", arguments, &process) == 0);
    char text[64];
    read_all(process.errors, text, 7);
    require(strcmp(text, "error\n") == 0);
    read_all(process.control, text, 8);
    require(strcmp(text, "answer\n") == 0);
    require(test_control_receive(process.control, text, sizeof text) == -1 && errno == EAGAIN);
    require(test_control_send(process.control, "go\n", 3) == 3);
    test_process_wait(process.process);
    require(pread(process.events, text, sizeof text, 0) == 6 && memcmp(text, "event\n", 6) == 0);
    require(test_control_send(process.control, "go\n", 3) == -1 && errno == EPIPE);
    end(process, 3 << 8);
    require(start("/no/such/program", arguments, &process) == ENOENT);
}

// MARK: Simulated apps

void apus_app_launcher_prepare(void) {}
void apus_app_process_main(void (*program)(void)) { program(); }

static void app_with_surroundings(void) {
    char folder[64];
    bool is_there = getcwd(folder, sizeof folder) && strcmp(folder, "/") == 0;
    const char *first = getenv("FIRST"), *replaced = getenv("REPLACED"), *last = getenv("LAST");
    _exit(is_there && first && strcmp(first, "1") == 0 && replaced && strcmp(replaced, "new") == 0 && last
              && strcmp(last, "") == 0 && !getenv("UNWANTED") ? 42 : 1);
}

static void app_with_many_variables(void) {
    int count = 0;
    for (char **variable = environ; *variable; variable++) count++;
    _exit(count == 4096 ? 43 : 1);
}

static void report_crash(void) {
    printf("%s, %s", app_call_current(), app_thread_is_first() && app_crash_has_begun() ? "first" : "other");
}

static void app_that_crashes(void) {
    app_output_begin();
    app_crash_begin(report_crash);
    char *name = exact_text("the call");
    app_call_begin(name);
    free(name);
    printf("before, ");
    abort();
}

static int status_of_app(
    struct app_launcher launcher, void (*app)(void), int input, int output, const char *surroundings, size_t length) {
    int32_t process = 0;
    int status = -1;
    // The copy ends exactly where the surroundings end, so that a read beyond them is found.
    char *copy = exact_copy(surroundings, length);
    require(app_launcher_fork(launcher.connection, process_clock_offset(app), input, output, copy, length, &process) == 0);
    free(copy);
    require(process > 0);
    require(app_launcher_wait(launcher.connection, process, &status) == 0);
    require(app_launcher_wait(launcher.connection, process, &status) == ECHILD);
    return status;
}

static void launcher_of_apps(void) {
    require(process_clock_is_available());
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct app_launcher launcher;
    char **argv = exact_texts((const char *const[]){"c-checks", NULL});
    char **envp = exact_texts((const char *const[]){"APUS_APP_LAUNCHER=1", "REPLACED=long", "UNWANTED=1", NULL});
    require(app_launcher_start("/proc/self/exe", argv, envp, &launcher) == 0);
    free_texts(argv);
    free_texts(envp);
    const char surroundings[] = "/\0FIRST=1\0REPLACED=new\0without\0LAST=";
    require(status_of_app(launcher, app_with_surroundings, input, 1, surroundings, sizeof surroundings) == 42 << 8);

    // These surroundings have the greatest possible length, and more variables than there is room for.
    size_t most = 192 * 1024, length = 0;
    char *many = calloc(1, most + 1);
    memcpy(many, "/", 2);
    for (length = 2; length + 4 <= most; length += 4) memcpy(many + length, "V=1", 4);
    require(status_of_app(launcher, app_with_many_variables, input, 1, many, length) == 43 << 8);
    memset(many + length, 0, most - length);
    require(status_of_app(launcher, app_with_many_variables, input, 1, many, most) == 43 << 8);
    int32_t process;
    require(app_launcher_fork(launcher.connection, 1, input, 1, many, most + 1, &process) == E2BIG);
    free(many);

    int output = app_output_make();
    require(output >= 0);
    require(status_of_app(launcher, app_that_crashes, input, output, "/", 2) == SIGABRT);
    char said[64] = "";
    const char expected[] = "before, the call, first";
    require(app_output_read(output, said, sizeof said, 0) == (long)strlen(expected) && strcmp(said, expected) == 0);
    require(app_output_read(output, said, sizeof said, (int64_t)strlen(expected)) == 0);
    close(output);
    app_launcher_end(launcher);
    close(input);
}

static void offsets_of_functions(void) {
    require(process_clock_offset(app_with_surroundings) != 0);
    require(process_clock_offset((void (*)(void))(uintptr_t)&getppid) == 0);
    require(process_clock_offset(NULL) == 0);
}

const struct check starter_checks[] = {
    {"processes for tests", test_processes},
    {"functions of the program", offsets_of_functions},
    {"a launcher of simulated apps", launcher_of_apps},
    {NULL, NULL},
};
