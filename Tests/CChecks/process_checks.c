// Checks of the processes of CApus: commands of a daemon, and a detached program.
#define _GNU_SOURCE
#include "checks.h"

#include "CApus.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// MARK: Commands

static int start(
    const char *path, const char *const *arguments, const char *folder, uint64_t file_limit, int *process, int *output,
    enum capus_command_step *step) {
    char **argv = exact_texts(arguments), **envp = exact_texts((const char *const[]){"A=1", "B=", NULL});
    char *path_copy = exact_text(path), *folder_copy = exact_text(folder);
    struct capus_command *command = malloc(sizeof *command);
    *command = (struct capus_command){path_copy, argv, envp, folder_copy, 077, file_limit};
    int error = capus_command_start(command, process, output, step);
    free(command);
    free(path_copy);
    free(folder_copy);
    free_texts(argv);
    free_texts(envp);
    return error;
}

static void expect_end(int process, int status) {
    int ended = 0, its_status = -100;
    require(capus_child_wait(&ended, &its_status) == 0);
    require(ended == process && its_status == status);
}

static void shell(const char *script, uint64_t file_limit, const char *wanted, int status) {
    int process, output;
    enum capus_command_step step;
    const char *arguments[] = {"sh", "-c", script, NULL};
    require(start("/bin/sh", arguments, "/", file_limit, &process, &output, &step) == 0);
    require(step == CAPUS_COMMAND_STARTED && process > 0);
    char text[512];
    read_all(output, text, sizeof text);
    close(output);
    require(strcmp(text, wanted) == 0);
    expect_end(process, status);
}

static void commands(void) {
    shell("echo out; echo err >&2", 0, "out\nerr\n", 0);
    shell("pwd; umask; echo $A$B; ulimit -Sn", 77, "/\n0077\n1\n77\n", 0);
    shell("exit 37", 0, "", 37);
    shell("kill -9 $$", 0, "", -1 - SIGKILL);
    // The command has the three standard descriptors and that of the folder which it lists, but not this one.
    int leaked = open("/dev/null", O_RDONLY);
    shell("ls /proc/self/fd | wc -l", 0, "4\n", 0);
    close(leaked);
}

static void failed_commands(void) {
    static const struct {
        const char *path, *folder;
        uint64_t file_limit;
        int error;
        enum capus_command_step step;
    } cases[] = {
        {"/no/such/program", "/", 0, ENOENT, CAPUS_COMMAND_EXECUTE},
        {"/dev", "/", 0, EACCES, CAPUS_COMMAND_EXECUTE},
        {"", "/", 0, ENOENT, CAPUS_COMMAND_EXECUTE},
        {"/bin/sh", "/no/such/folder", 0, ENOENT, CAPUS_COMMAND_FOLDER},
        {"/bin/sh", "/dev/null", 0, ENOTDIR, CAPUS_COMMAND_FOLDER},
        {"/bin/sh", "/", UINT64_MAX, EINVAL, CAPUS_COMMAND_PREPARE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int process, output;
        enum capus_command_step step;
        const char *arguments[] = {"x", NULL};
        int error =
            start(cases[i].path, arguments, cases[i].folder, cases[i].file_limit, &process, &output, &step);
        require(error == cases[i].error && step == cases[i].step && output == -1 && process > 0);
        expect_end(process, 127);
    }
}

// If standard descriptors are closed, the pipes of a command get the numbers of the closed descriptors.
static void commands_without_standard_descriptors(void) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int errors = fcntl(2, F_DUPFD_CLOEXEC, 20);
        for (int closed = 0; closed < 8; closed++) {
            for (int descriptor = 0; descriptor < 3; descriptor++) close(descriptor);
            for (int descriptor = 0; descriptor < 3; descriptor++) {
                // The standard descriptors that are not in `closed` are opened again, each with its own number.
                if (!(closed & (1 << descriptor))) dup2(errors, descriptor);
            }
            int process, output;
            enum capus_command_step step;
            const char *arguments[] = {"sh", "-c", "echo here", NULL};
            if (start("/bin/sh", arguments, "/", 0, &process, &output, &step) != 0) _exit(1);
            char text[64];
            read_all(output, text, sizeof text);
            close(output);
            if (strcmp(text, "here\n") != 0) _exit(2);
            expect_end(process, 0);
        }
        _exit(0);
    }
    int status;
    require(waitpid(child, &status, 0) == child && status == 0);
}

// The child reads the arguments after the fork, so a long argument must be intact.
static void long_commands(void) {
    size_t size = 100000;
    char *text = malloc(size);
    memset(text, 'x', size - 1);
    text[size - 1] = 0;
    const char *arguments[] = {"sh", "-c", "echo ${#1}", "sh", text, NULL};
    int process, output;
    enum capus_command_step step;
    require(start("/bin/sh", arguments, "/", 0, &process, &output, &step) == 0);
    char printed[64];
    read_all(output, printed, sizeof printed);
    close(output);
    require(strcmp(printed, "99999\n") == 0);
    expect_end(process, 0);
    free(text);
}

static void no_children(void) {
    int process, status;
    require(capus_child_wait(&process, &status) == ECHILD);
}

// MARK: A detached program

static int detach(const char *path, const char *const *arguments, int output, int ready, int *process) {
    char **argv = exact_texts(arguments), **envp = exact_texts((const char *const[]){NULL});
    char *copy = exact_text(path);
    int error = capus_spawn_detached(copy, argv, envp, output, ready, process);
    free(copy);
    free_texts(argv);
    free_texts(envp);
    return error;
}

static void detached_program(void) {
    int output[2], ready[2], process = 0;
    require(pipe2(output, O_CLOEXEC) == 0 && pipe2(ready, O_CLOEXEC) == 0);
    const char *arguments[] = {"sh", "-c", "pwd; echo ready >&3", NULL};
    require(detach("/bin/sh", arguments, output[1], ready[1], &process) == 0 && process > 0);
    int missing = 0;
    require(detach("/no/such/program", arguments, output[1], ready[1], &missing) == ENOENT);
    close(output[1]);
    close(ready[1]);
    char text[64];
    read_all(output[0], text, sizeof text);
    require(strcmp(text, "/\n") == 0);
    read_all(ready[0], text, sizeof text);
    require(strcmp(text, "ready\n") == 0);
    close(output[0]);
    close(ready[0]);
    require(detach("/bin/sh", arguments, -1, -1, &process) == EBADF);
}

// A program whose parent has ended is adopted, and is reaped like a child.
static void orphans(void) {
    require(capus_adopt_orphans() == 0);
    int output[2], process = 0, status = -100, ended = 0;
    require(pipe2(output, O_CLOEXEC) == 0);
    const char *arguments[] = {"sh", "-c", "exit 5", NULL};
    require(detach("/bin/sh", arguments, output[1], output[1], &process) == 0);
    require(capus_child_wait(&ended, &status) == 0 && ended == process && status == 5);
    close(output[0]);
    close(output[1]);
}

const struct check process_checks[] = {
    {"commands", commands},
    {"commands that do not start", failed_commands},
    {"commands without standard descriptors", commands_without_standard_descriptors},
    {"commands with long arguments", long_commands},
    {"no children", no_children},
    {"a detached program", detached_program},
    {"orphans", orphans},
    {NULL, NULL},
};
