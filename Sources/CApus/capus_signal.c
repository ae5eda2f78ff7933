#include "CApusSignal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum { MOST_SIGNALS = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // protects the variables up to `count_caught`
// The pipe is never closed, because a handler that was delayed on another thread would write to the file that has the
// descriptor's number by then.
static int ends[2] = {-1, -1};
static bool is_caught = false;
static int caught[MOST_SIGNALS];
static struct sigaction before[MOST_SIGNALS];
static int count_caught = 0;

// The handler reads this variable, because it can read nothing else safely.
static atomic_int writing_end = -1;

static void handle(int signal) {
    int saved = errno;
    int fd = atomic_load(&writing_end);
    unsigned char byte = (unsigned char)signal;
    // If the pipe is full, the signal is dropped, because many signals wait in the pipe already.
    if (fd >= 0) { ssize_t ignored = write(fd, &byte, 1); (void)ignored; }
    errno = saved;
}

static void release_locked(void) {
    for (int index = 0; index < count_caught; index++) sigaction(caught[index], &before[index], NULL);
    count_caught = 0;
    atomic_store(&writing_end, -1);
    is_caught = false;
}

static int make_pipe_locked(void) {
    if (ends[0] < 0) {
        if (pipe(ends) != 0) return -errno;
        for (int index = 0; index < 2; index++) {
            fcntl(ends[index], F_SETFD, FD_CLOEXEC);
            fcntl(ends[index], F_SETFL, O_NONBLOCK);
        }
    }
    // Drops what the previous catcher did not read.
    char bytes[64];
    while (read(ends[0], bytes, sizeof bytes) > 0) continue;
    return 0;
}

static int catch_locked(const int *signals, int count) {
    if (is_caught) return -EBUSY;
    if (count < 1 || count > MOST_SIGNALS) return -EINVAL;
    int result = make_pipe_locked();
    if (result != 0) return result;
    is_caught = true;
    atomic_store(&writing_end, ends[1]);
    for (int index = 0; index < count; index++) {
        struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        struct sigaction *old = &before[count_caught];
        if (sigaction(signals[index], NULL, old) == 0) {
            // SIGHUP stays ignored if nohup(1) ignores it, so that the process survives its terminal.
            if (signals[index] == SIGHUP && old->sa_handler == SIG_IGN) continue;
            if (sigaction(signals[index], &action, NULL) == 0) {
                caught[count_caught++] = signals[index];
                continue;
            }
        }
        int error = errno;
        release_locked();
        return -error;
    }
    return ends[0];
}

int capus_signals_catch(const int *signals, int count) {
    pthread_mutex_lock(&lock);
    int result = catch_locked(signals, count);
    pthread_mutex_unlock(&lock);
    return result;
}

void capus_signals_release(void) {
    pthread_mutex_lock(&lock);
    release_locked();
    pthread_mutex_unlock(&lock);
}
