import CProcessClock

/// The framework's calls of the app's code. A crash names that of its thread.
package enum CallOut {
    /// Calls `body`, which is code of the app.
    ///
    /// - Parameters:
    ///   - name: What is called, as in "the launch handler of refresh".
    ///   - body: The app's code.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    package static func run<Result>(_ name: @autoclosure () -> String, _ body: () throws -> Result) rethrows -> Result {
        guard AppLink.current != nil else { return try body() }
        let outer = current
        app_call_begin(name())
        defer { app_call_begin(outer) }
        return try body()
    }

    /// That of the calling thread; empty when the app's code was not called by a framework.
    static var current: String { String(cString: app_call_current()) }
}
