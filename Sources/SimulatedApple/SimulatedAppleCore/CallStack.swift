#if canImport(Runtime)
    import Runtime
#endif

/// The calls that have led to a line of the program. Without debug information nothing is known of them.
struct CallStack {
    #if canImport(Runtime)
        private let backtrace: Backtrace?
    #endif

    private init() {
        #if canImport(Runtime)
            backtrace = try? Backtrace.capture()
        #endif
    }

    /// That of the calling thread.
    static var current: CallStack { CallStack() }

    /// The same for the same calls in processes that were forked from one.
    var addresses: String {
        #if canImport(Runtime)
            backtrace?.frames.map { "\($0.originalProgramCounter)" }.joined(separator: " ") ?? ""
        #else
            ""
        #endif
    }

    /// What the debug information says of it. That takes a second, in a large program.
    var place: Place {
        #if canImport(Runtime)
            let symbols = backtrace?.symbolicated()?.frames.compactMap(\.symbol) ?? []
            let appLine = symbols.lazy.compactMap(\.sourceLocation).first { place in
                place.line > 0 && !Self.foreignPaths.contains { place.path.contains($0) }
            }
            return Place(
                line: appLine.map { "\($0.path):\($0.line)" },
                isExecutorCheck: symbols.prefix(8).contains { symbol in
                    Self.executorChecks.contains { symbol.rawName.hasPrefix($0) }
                })
        #else
            return Place(line: nil, isExecutorCheck: false)
        #endif
    }

    struct Place: Codable {
        /// The innermost line outside of the simulated frameworks, as `path:line`.
        var line: String?
        /// Whether the innermost calls are a check of the runtime that code of an actor is on its executor.
        var isExecutorCheck: Bool

        /// The line as `Folder/File.swift:12`.
        var shortLine: String? { line.map { $0.split(separator: "/").suffix(2).joined(separator: "/") } }
    }

    /// Neither the frameworks' own lines nor those of a macro's expansion.
    private static let foreignPaths = [
        "Sources/SimulatedApple/", "Sources/CProcessClock/", "/@__swiftmacro", "<compiler-generated>",
    ]

    /// Of the runtimes of Swift and Dispatch.
    private static let executorChecks = [
        "dispatch_assert_queue", "_dispatch_assert_queue_fail", "swift_task_checkIsolated",
        "swift_task_isCurrentExecutor", "swift_task_reportUnexpectedExecutor",
    ]
}
