// The command of the jobs of `make chaos`, which records its beginning and its end independently of Apus. A line is one
// durable write: `start PARENT NAME OCCURRENCE ATTEMPT NANOSECONDS`. The parent is the daemon, or the process that
// adopts the commands of a dead daemon. The time is this machine's wall clock, which is also the database's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "-";
}

static void note(int file, const char *event) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    char line[256];
    int count = snprintf(line, sizeof line, "%s %d %s %s %s %lld%09ld\n", event, (int)getppid(), variable("APUS_NAME"),
                         variable("APUS_OCCURRENCE"), variable("APUS_ATTEMPT"), (long long)now.tv_sec, now.tv_nsec);
    if (count >= (int)sizeof line || write(file, line, (size_t)count) != count || fdatasync(file) != 0) _exit(99);
}

// The arguments are FILE and KIND: quick; slow, which takes longer than most nodes live; flaky, which fails at the
// first attempt of every second occurrence. Further arguments only lengthen the job's payload.
int main(int count, char **arguments) {
    if (count < 3) return 64;
    int file = open(arguments[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return 99;
    note(file, "start");
    if (strcmp(arguments[2], "slow") == 0) nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 200000000}, NULL);
    if (strcmp(arguments[2], "flaky") == 0 && atoi(variable("APUS_ATTEMPT")) == 1 &&
        atoi(variable("APUS_OCCURRENCE")) % 2 == 1)
        return 1;
    note(file, "end");
    return 0;
}
