import ApusBackground
import ApusDevice
import CProcessClock

/// A process's report of its own crash, made on the thread that crashed.
struct AppCrash: Codable {
    /// The name of the framework's call into the app's code during which the thread crashed; empty if there was none.
    var call: String
    /// The thread that crashed, in words.
    var thread: String
    /// The stack's ``CallStack/addresses``.
    var addresses: String
    var place: CallStack.Place

    /// Describes a crash of the calling thread.
    ///
    /// - Parameter knownPlace: Returns the place of an earlier crash with these addresses; `nil` if there was none.
    /// - Returns: The description.
    static func ofThisThread(_ knownPlace: (_ addresses: String) -> CallStack.Place?) -> AppCrash {
        let (stack, queue) = (CallStack.current, String(cString: app_thread_queue()))
        let addresses = stack.addresses
        return AppCrash(
            call: CallOut.current,
            thread: app_thread_is_first()
                ? "the main thread" : queue.isEmpty ? "a thread of its own" : "a thread of the queue “\(queue)”",
            addresses: addresses, place: knownPlace(addresses) ?? stack.place)
    }

    /// Returns the fault of a process that has ended by itself.
    ///
    /// - Parameters:
    ///   - end: The way in which it ended, in words.
    ///   - crash: The process's own report.
    ///   - lastLines: The last lines of its output.
    /// - Returns: The fault.
    static func fault(_ end: String, _ crash: AppCrash?, lastLines: [String]) -> Fault {
        var message = end
        if let crash {
            if !crash.call.isEmpty { message += " in \(crash.call)," }
            message += " on \(crash.thread)"
            if crash.place.isExecutorCheck { message += "; \(wrongExecutor)" }
        }
        if !lastLines.isEmpty {
            message += "; its output ends with " + lastLines.map { "“\($0)”" }.joined(separator: ", ")
        }
        return Fault(.appProcessCrash, message, place: crash?.place.shortLine)
    }

    private static let wrongExecutor = """
        code of an actor ran on a thread that is not the actor's, which Swift 6 checks: a closure that is written in a \
        method of the main actor belongs to the main actor, so mark it @Sendable, or have it called on the main queue
        """
}

extension AppEvent {
    /// The reason for which the app's code is called, in words.
    var name: String {
        switch self {
        case .launch: "its launch"
        case .phase(let phase): "the change to the phase \(phase.rawValue)"
        case .conditions: "a change of the conditions"
        case .system: "an event of the system"
        case .backgroundTaskExpires: "the expiration handler of a background task"
        case .audioSession, .audioItemEnded: "an event of the audio player"
        case .location, .locationAuthorization: "an event of the location service"
        case .service(let name, _): "an event of \(name)"
        case .notificationAuthorization, .notificationComes, .notificationOpened: "an event of the notification center"
        case .pushComes: "a silent push"
        case .transfersEnded, .transfer: "an event of a URL session"
        case .taskBegins(_, let request): "the launch handler of \(request.identifier)"
        case .taskExpires: "the expiration handler of a background job"
        case .mediaCommand(let name): "the command \(name)"
        case .screen: "a touch of the screen"
        }
    }
}
