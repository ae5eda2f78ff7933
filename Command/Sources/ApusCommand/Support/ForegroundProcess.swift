import PlatformC

/// A program that has the terminal while this one waits for it, such as an editor.
enum ForegroundProcess {
    /// Runs a line of the shell, with arguments as `$1` and so on, and waits for its end.
    ///
    /// Without Foundation's `Process`, which starts its child with signals blocked: an editor needs them. Ctrl-C is the
    /// editor's business meanwhile.
    /// - Returns: the exit code, 128 and the signal's number for a signal, or 127 if there is no shell.
    static func run(line: String, _ arguments: String...) -> Int32 {
        let former = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
        defer { for (number, handler) in former { signal(number, handler) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (mask, defaults) = (sigset_t(), sigset_t())
        sigemptyset(&mask)
        sigemptyset(&defaults)
        for (number, _) in former { sigaddset(&defaults, number) }
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = (["/bin/sh", "-c", line, "sh"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        guard posix_spawn(&process, "/bin/sh", nil, &attributes, &words, environ) == 0 else { return 127 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let number = status & 0x7F
        return number == 0 ? (status >> 8) & 0xFF : 128 + number
    }
}
