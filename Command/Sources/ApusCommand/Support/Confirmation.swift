import ApusClient
import ArgumentParser
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Asks a person before many jobs are changed at once.
enum Confirmation {
    /// Returns if `isGiven` (`--yes`), or if the person at the terminal answers `y` or `yes`.
    /// - Throws: `ValidationError` where no user can be asked, because standard input or standard error is no terminal;
    ///   `DaemonError` if the person declines.
    static func require(_ question: TerminalText, isGiven: Bool) throws {
        if isGiven { return }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw ValidationError(
                "\(question.raw) There is no terminal to ask at; --yes does it without a question")
        }
        Terminal.note(question + " [y/N] ", terminator: "")
        let answer = (readLine() ?? "").trimmed.lowercased()
        guard ["y", "yes"].contains(answer) else { throw DaemonError(.unavailable, "nothing was changed") }
    }
}
