import ApusBackground
import ApusDevice
import ApusTimers
import CProcessClock
import Foundation
import PlatformC

/// The process from which the processes of apps are forked.
///
/// It is started with the first app, and again when the environment of this process has changed. It ends with the last
/// reference to it.
final class AppLauncher: Sendable {
    private static let last = Locked<AppLauncher?>(nil)

    private let environment: [String: String]
    private let launcher: Locked<app_launcher>
    /// The places of crashes, by the addresses of their calls.
    ///
    /// The same calls have the same addresses in all processes of a launcher.
    let places = Locked<[String: CallStack.Place]>([:])

    private init(_ environment: [String: String], _ launcher: app_launcher) {
        self.environment = environment
        self.launcher = Locked(launcher)
    }

    /// The identifier of the launcher's own process.
    var process: pid_t { launcher.withLock { $0.process } }

    deinit { launcher.withLock { app_launcher_end($0) } }

    /// Returns a launcher for processes with this environment: the last one if it still fits, or else a new one.
    ///
    /// - Parameter environment: The environment; by default the present one of this process.
    /// - Returns: The launcher.
    /// - Throws: ``AppProcessError`` if the system does not start a process.
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
        // Core Foundation keeps pointers to these values, so they must be long enough for the app's values to take
        // their place.
        for name in AppContainers.variableNames { environment[name] = String(repeating: "/", count: Int(PATH_MAX)) }
        environment["APUS_APP_LAUNCHER"] = "1"
        // With this setting, functions are resolved once, in the launcher. Otherwise each process would resolve them
        // again.
        environment["LD_BIND_NOW"] = "1"
        // The process reports its crash itself (``AppCrash``). The runtime would spend seconds on printing the stack.
        environment["SWIFT_BACKTRACE"] = "enable=yes,warnings=suppressed"
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
    ///   - offset: The function's position in the program, from `process_clock_offset`.
    ///   - variables: Environment variables that are added to those of the launcher, or replace them.
    ///   - standardInput: The descriptor of the new process's standard input, which stays open here.
    ///   - output: The descriptor of the new process's standard output and standard error, which stays open here.
    /// - Returns: The identifier of the process.
    /// - Throws: ``AppProcessError`` if the system does not start a process.
    func start(offset: UInt64, variables: [String: String], standardInput: Int32, output: Int32) throws -> pid_t {
        let variables = environment.merging(variables) { $1 }
        var surroundings: [CChar] = []
        for text in [FileManager.default.currentDirectoryPath] + variables.map({ "\($0.key)=\($0.value)" }) {
            surroundings += text.utf8CString
        }
        var pid: pid_t = 0
        let error = launcher.withLock {
            app_launcher_fork(
                $0.connection, offset, standardInput, output, surroundings, surroundings.count, &pid)
        }
        guard error == 0 else { throw Self.error(error) }
        return pid
    }

    /// Waits for a process that has ended or is about to end.
    ///
    /// - Parameter pid: A process that this launcher started.
    /// - Returns: Its status, in the form of waitpid(2).
    func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        _ = launcher.withLock { app_launcher_wait($0.connection, pid, &status) }
        return status
    }

    private static func error(_ number: Int32) -> AppProcessError {
        .cannotStart("the system could not create a process: \(String(cString: strerror(number)))")
    }
}

/// Does in the launcher what each process does first, so that the runtime's caches are already filled in each process.
///
/// Module CProcessClock calls it before the first process is forked. Without it, the lookup of one conformance takes a
/// quarter of a millisecond in each process.
///
/// It must start no thread, open no descriptor, and read nothing that differs between apps. A run loop, a queue or a
/// timer that is created here would have an eventfd that all processes share, so they would take each other's wake-ups.
@_cdecl("apus_app_launcher_prepare")
func prepareAppLauncher() {
    let status = AppStatus(
        phase: .active, conditions: DeviceConditions(), bootID: nil, manifest: AppManifest(usesScenes: false),
        allowsBackgroundGPU: false, launchCause: .push, isPrewarmed: false)
    prepareMessages(status)
    _ = PhoneProcess(RemotePhone(AppLink(LineSocket(descriptor: -1)), status))
    // Foundation's defaults and notifications look up conformances of such values.
    for value in ["" as Any, 1, true, 1.5, Date(timeIntervalSince1970: 0), Data(), [""], ["": 1]] {
        NotificationCenter.default.post(name: Notification.Name("prepare"), object: value)
        _ = NSArray(array: [value]).object(at: 0)
    }
    _ = NSString(" ").trimmingCharacters(in: .whitespaces)
}

private func prepareMessages(_ status: AppStatus) {
    let request = BackgroundJobRequest("", .refresh)
    let events: [AppEvent] = [.phase(.active), .conditions(status.conditions), .system(.wallClockSet)]
    let calls: [AppCall] = [
        .status, .note(""), .timeRemaining, .beginBackgroundTask("", token: 1), .endBackgroundTask(1),
        .expirationHandlerReturned,
        .jobs(.register("")), .jobs(.submit(request)), .jobs(.setExpires(1, true)), .jobs(.complete(1, success: true)),
    ]
    let numbered = events.map { NumberedEvent(number: 1, event: $0) }
    let readings = AppReadings(uptime: 1, continuous: 1, wall: 1)
    repeatCoding(of: DeviceMessage.run(readings, isScrolling: false, numbered, freeTime: 0))
    repeatCoding(of: DeviceMessage.reply(call: 1, Data("{}".utf8), freeTime: 0))
    for message in [AppMessage.idle(next: 1, elapsed: 0), .returned(1)] { repeatCoding(of: message) }
    for call in calls { repeatCoding(of: AppMessage.call(1, call, elapsed: 0)) }
    repeatCoding(ofReply: status)
    repeatCoding(ofReply: [request])
    repeatCoding(ofReply: JobRefusal(code: .unavailable, message: ""))
    repeatCoding(ofReply: Int64?.some(1))
    repeatCoding(ofReply: true)
}

private func repeatCoding<Message: LineMessage>(of message: Message) {
    var writer = LineWriter()
    message.write(to: &writer)
    var reader = LineReader(writer.bytes[...])
    _ = Message(&reader)
}

private func repeatCoding<Value: Codable>(ofReply value: Value) {
    _ = (try? JSONEncoder().encode(value)).map { try? JSONDecoder().decode(Value.self, from: $0) }
}
