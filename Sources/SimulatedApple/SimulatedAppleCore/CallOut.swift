import CProcessClock

/// The frameworks' calls into the app's code; the report of a crash names the call in which the code crashed.
package enum CallOut {
    /// Calls `body`, which is code of the app.
    ///
    /// - Parameters:
    ///   - name: The name of the call, such as "the launch handler of refresh".
    ///   - body: The app's code.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    package static func run<Result>(_ name: @autoclosure () -> String, _ body: () throws -> Result) rethrows -> Result {
        guard AppLink.current != nil else { return try body() }
        let outer = current
        app_call_begin(name())
        defer { app_call_begin(outer) }
        return try body()
    }

    /// The name of the innermost call on this thread; empty if no framework has called the app's code.
    static var current: String { String(cString: app_call_current()) }
}
