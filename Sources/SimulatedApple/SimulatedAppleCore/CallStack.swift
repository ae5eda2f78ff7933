#if canImport(Runtime)
    import Runtime
#endif

/// The calls that led to a line of the program; the line is known only with debug information.
struct CallStack {
    #if canImport(Runtime)
        private let backtrace: Backtrace?
    #endif

    private init() {
        #if canImport(Runtime)
            backtrace = try? Backtrace.capture()
        #endif
    }

    /// The stack of the calling thread.
    static var current: CallStack { CallStack() }

    /// The addresses of the calls, which are equal for equal calls in processes that were forked from the same process.
    var addresses: String {
        #if canImport(Runtime)
            backtrace?.frames.map { "\($0.originalProgramCounter)" }.joined(separator: " ") ?? ""
        #else
            ""
        #endif
    }

    /// The place in the sources, from debug information; finding it takes a second in a large program.
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
        /// The innermost line outside the simulated frameworks, as `path:line`.
        var line: String?
        /// Whether the innermost calls are the runtime's check that an actor's code runs on the actor's executor.
        var isExecutorCheck: Bool

        /// The line as `Folder/File.swift:12`.
        var shortLine: String? { line.map { $0.split(separator: "/").suffix(2).joined(separator: "/") } }
    }

    /// A path that contains one of these texts is not the app's: it belongs to a simulated framework or to generated
    /// code.
    private static let foreignPaths = [
        "Sources/SimulatedApple/", "Sources/CProcessClock/", "/@__swiftmacro", "<compiler-generated>",
    ]

    /// The prefixes of the functions with which the runtimes of Swift and Dispatch check the executor.
    private static let executorChecks = [
        "dispatch_assert_queue", "_dispatch_assert_queue_fail", "swift_task_checkIsolated",
        "swift_task_isCurrentExecutor", "swift_task_reportUnexpectedExecutor",
    ]
}
