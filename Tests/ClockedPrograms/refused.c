// A program with the set-user-ID bit of root: another user may not kill it, but may kill the child that it starts.
// Prints the numbers of both. With the argument `restarts`, it starts another child whenever one ends; with `ends`, it
// only ends.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start_child(uid_t user) {
    pid_t child = fork();
    if (child != 0) return child;
    if (setresuid(user, user, user) != 0) _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (1) pause();
}

int main(int count, char **arguments) {
    uid_t user = getuid();
    const char *kind = count > 1 ? arguments[1] : "";
    if (setresuid(0, 0, 0) != 0) return 1;
    if (strcmp(kind, "ends") == 0) return 0;
    pid_t child = start_child(user);
    if (child < 0) return 1;
    printf("%d %d\n", getpid(), child);
    fclose(stdout);
    while (strcmp(kind, "restarts") == 0) {
        if (wait(NULL) > 0) start_child(user);
    }
    while (1) pause();
}
