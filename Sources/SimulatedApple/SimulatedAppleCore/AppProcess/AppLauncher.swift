import ApusBackground
import ApusTesting
import ApusTimers
import CProcessClock
import Foundation
import Glibc

/// The process from which those of apps are forked. It is started with the first app, again when the environment of this
/// process has changed, and ends with the last reference to it.
final class AppLauncher: Sendable {
    private static let last = Locked<AppLauncher?>(nil)

    private let environment: [String: String]
    private let launcher: Locked<app_launcher>

    private init(_ environment: [String: String], _ launcher: app_launcher) {
        self.environment = environment
        self.launcher = Locked(launcher)
    }

    deinit { launcher.withLock { app_launcher_end($0) } }

    /// The launcher for processes with that environment.
    ///
    /// - Parameter environment: The present one of this process.
    /// - Returns: The last one, if its environment was the same.
    /// - Throws: ``AppProcessError`` when the system starts no process.
    static func current(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> AppLauncher {
        try last.withLock { last in
            if let last, last.environment == environment { return last }
            let new = AppLauncher(environment, try launch(environment))
            last = new
            return new
        }
    }

    private static func launch(_ environment: [String: String]) throws -> app_launcher {
        var environment = environment
        // Core Foundation keeps pointers to these, so an app's values must fit in their places.
        for name in AppHome.variableNames { environment[name] = String(repeating: "/", count: Int(PATH_MAX)) }
        environment["APUS_APP_LAUNCHER"] = "1"
        // Each process would look for the same functions again.
        environment["LD_BIND_NOW"] = "1"
        // A process whose crash is being written down rests, and would be taken for one that waits.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        let arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var launcher = app_launcher()
        let error = app_launcher_start("/proc/self/exe", arguments, variables, &launcher)
        guard error == 0 else { throw Self.error(error) }
        return launcher
    }

    /// Starts a process that runs the function at `offset`.
    ///
    /// - Parameters:
    ///   - offset: The function's place in the program, as of `process_clock_offset`.
    ///   - variables: What its environment has beside this process's variables, or instead of them.
    ///   - standardInput: A descriptor, which stays open.
    /// - Returns: The number of the process.
    /// - Throws: ``AppProcessError`` when the system starts no process.
    func start(offset: UInt64, variables: [String: String], standardInput: Int32) throws -> pid_t {
        let variables = environment.merging(variables) { $1 }
        var surroundings: [CChar] = []
        for text in [FileManager.default.currentDirectoryPath] + variables.map({ "\($0.key)=\($0.value)" }) {
            surroundings += text.utf8CString
        }
        var pid: pid_t = 0
        let error = launcher.withLock {
            app_launcher_fork($0.connection, offset, standardInput, surroundings, surroundings.count, &pid)
        }
        guard error == 0 else { throw Self.error(error) }
        return pid
    }

    /// Waits for a process, which has ended or is about to.
    ///
    /// - Parameter pid: One that this launcher has started.
    /// - Returns: Its status, as of waitpid(2).
    func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        _ = launcher.withLock { app_launcher_wait($0.connection, pid, &status) }
        return status
    }

    private static func error(_ number: Int32) -> AppProcessError {
        .cannotStart("the system started no process: \(String(cString: strerror(number)))")
    }
}

/// Called by module CProcessClock before the first process is forked: what each of them does first fills caches of the
/// runtime. It must start no thread, and read nothing that differs between apps.
@_cdecl("apus_app_launcher_prepare")
func prepareAppLauncher() {
    let readings = AppReadings(uptime: 1, continuous: 1, wall: 1)
    let events = [NumberedEvent(number: 1, event: .phase(.active))]
    let incoming: [DeviceMessage] = [
        .run(readings, isScrolling: false, events, freeTime: 0), .reply(call: 1, Data(), freeTime: 0),
    ]
    let outgoing: [AppMessage] = [
        .idle(next: 1, elapsed: 0), .returned(1), .call(1, .status, elapsed: 0), .call(1, .note(""), elapsed: 0),
        .call(1, .beginClaim("", token: 1), elapsed: 0), .call(1, .jobs(.pending), elapsed: 0),
    ]
    let status = AppStatus(
        phase: .active, conditions: DeviceConditions(), bootID: nil, manifest: AppManifest(usesScenes: false),
        allowsBackgroundGPU: false, launchCause: .push, isPrewarmed: false)
    for message in incoming { repeatCoding(of: message) }
    for message in outgoing { _ = try? JSONEncoder().encode(message) }
    repeatCoding(of: status)
    repeatCoding(of: Done())
}

private func repeatCoding<Value: Codable>(of value: Value) {
    _ = (try? JSONEncoder().encode(value)).map { try? JSONDecoder().decode(Value.self, from: $0) }
}
