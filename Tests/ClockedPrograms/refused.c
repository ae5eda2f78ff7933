// A program with the set-user-ID bit of root: another user may not kill it, but may kill the child that it starts.
// Prints the numbers of both.
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(void) {
    uid_t user = getuid();
    if (setresuid(0, 0, 0) != 0) return 1;
    pid_t child = fork();
    if (child < 0 || (child == 0 && setresuid(user, user, user) != 0)) return 1;
    if (child > 0) {
        printf("%d %d\n", getpid(), child);
        fclose(stdout);
    }
    while (1) pause();
}
