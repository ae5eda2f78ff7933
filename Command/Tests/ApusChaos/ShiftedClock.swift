import Foundation

/// A preloaded library that shifts a process's wall clock and no other clock.
///
/// It is loaded before the C library (`LD_PRELOAD`), adds the seconds of `CHAOS_CLOCK_SHIFT` to readings of the wall
/// clock, and subtracts them from its timers.
///
/// libfaketime (0.9.10) is unsuitable. Unless it is set to leave monotonic clocks alone, it shifts the kernel's timers
/// (timerfd) of every clock by the wall clock's shift. Timers of the monotonic clocks are then due at once or an hour
/// later. libfaketime also moves the environment when it is loaded, but Swift finds the program's arguments by the
/// environment's place.
struct ShiftedClock {
    static let variable = "CHAOS_CLOCK_SHIFT"

    private let library: String

    init(in folder: String) throws {
        library = "\(folder)/shifted-clock.so"
        let source = "\(folder)/shifted-clock.c"
        try Self.source.write(toFile: source, atomically: true, encoding: .utf8)
        try Shell.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"])
    }

    /// Returns the environment of a process whose wall clock is shifted by the seconds.
    func environment(shift seconds: Int) -> [String: String] {
        seconds == 0 ? [:] : ["LD_PRELOAD": library, Self.variable: "\(seconds)"]
    }

    private static let source = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <sys/timerfd.h>
        #include <time.h>
        #include <unistd.h>

        static long shift;
        static unsigned char is_wall[65536];

        __attribute__((constructor)) static void begin(void) {
            const char *text = getenv("CHAOS_CLOCK_SHIFT");
            shift = text ? atol(text) : 0;
        }

        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = syscall(SYS_clock_gettime, clock, time);
            if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += shift;
            return result;
        }

        int gettimeofday(struct timeval *restrict time, void *restrict zone) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }

        time_t time(time_t *result) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (result) *result = now.tv_sec;
            return now.tv_sec;
        }

        int timerfd_create(int clock, int flags) {
            int file = syscall(SYS_timerfd_create, clock, flags);
            if (file >= 0 && file < 65536) is_wall[file] = clock == CLOCK_REALTIME;
            return file;
        }

        int timerfd_settime(int file, int flags, const struct itimerspec *new, struct itimerspec *old) {
            struct itimerspec moved = *new;
            int is_set = moved.it_value.tv_sec != 0 || moved.it_value.tv_nsec != 0;
            if (is_set && (flags & TFD_TIMER_ABSTIME) && file >= 0 && file < 65536 && is_wall[file])
                moved.it_value.tv_sec -= shift;
            return syscall(SYS_timerfd_settime, file, flags, &moved, old);
        }
        """#
}
