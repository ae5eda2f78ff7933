import Synchronization

/// What the examples printed. They run on the main actor without a pause, so the lines of one do not mix with another's.
enum Printed {
    private static let lines = Mutex<[String]>([])

    fileprivate static func add(_ line: String) { lines.withLock { $0.append(line) } }

    /// What `body` prints, as a document shows it.
    @MainActor static func text(of body: () throws -> Void) rethrows -> String {
        lines.withLock { $0 = [] }
        try body()
        return lines.withLock { $0.map { $0 + "\n" }.joined() }
    }
}

/// Takes the place of Swift's `print` in this module, so that a test sees what the examples print. It has the same
/// arguments, for only then the compiler always prefers it.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    Printed.add(items.map { "\($0)" }.joined(separator: separator))
}
