import PlatformC

/// Shows on standard error how far something is that takes long, in one line that is erased at the end; only at a terminal.
struct Progress {
    private let what: String
    private let isShown = isatty(STDERR_FILENO) == 1

    /// - Parameter what: what has become of the number that is shown, as in `3000 cancelled`.
    init(_ what: String) { self.what = what }

    func show(_ count: Int) {
        if isShown { Terminal.note(Terminal.eraseLine + "\(count) \(what)", terminator: "") }
    }

    func end() {
        if isShown { Terminal.note(Terminal.eraseLine, terminator: "") }
    }
}
