import ApusBackground
import ApusVirtualTime
import Dispatch
import SimulatedAppleCore

/// The app's interface to work that the system starts when it suits the phone: the simulated one. From any thread.
///
/// Launch handlers are called on a thread that is not the main one, unless `register` was given the main queue; the
/// device waits meanwhile. So a handler that takes the main actor for granted crashes here as it does on a phone. What
/// a phone raises an exception for is a fault of the device.
public final class BGTaskScheduler: NSObject, Sendable {
    private let process: PhoneProcess
    private let completions = CallbackQueue(DispatchQueue(label: "com.apple.BGTaskScheduler.completions"))

    private init(_ process: PhoneProcess) {
        self.process = process
        super.init()
    }

    /// The scheduler of the running process.
    public class var shared: BGTaskScheduler {
        let process = SimulatedPhone.process
        return process.shared.object(of: BGTaskScheduler.self) { BGTaskScheduler(process) }
    }

    /// What continued tasks may ask for: the graphics processor only where the device's policy allows it.
    public class var supportedResources: BGContinuedProcessingTaskRequest.Resources {
        SimulatedPhone.process.host.allowsBackgroundGPU ? .gpu : []
    }

    /// Says who does the work of an identifier. To be called while the app is launched.
    ///
    /// - Parameters:
    ///   - identifier: One that the app declares.
    ///   - queue: Where the handler is called; `nil` is a queue in the background.
    ///   - launchHandler: Does the work, and completes the task.
    /// - Returns: False when the app does not declare the identifier. A second handler for one identifier, and one
    ///   that comes too late, are faults of the device, and answered with false.
    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        let callbacks = CallbackQueue(queue ?? DispatchQueue(label: "com.apple.BGTaskScheduler (\(identifier))"))
        let handler = Handover(launchHandler)
        let name = "the launch handler of \(identifier)"
        return process.jobs.addLaunchHandler(identifier) { [process] task in
            let task = Handover(BGTask.make(task, callbacks, process))
            callbacks.call(name, on: process.host) { handler.value(task.value) }
            task.value.waitForCompletion(process.patience)
        }
    }

    /// Asks for a run, in place of a pending request with the same identifier. Without a handler for the identifier it
    /// is a fault of the device, and nothing else happens.
    ///
    /// - Throws: ``Error``.
    public func submit(_ taskRequest: BGTaskRequest) throws {
        do {
            try process.jobs.addRequest(taskRequest.job)
        } catch {
            throw Error(error)
        }
        HealthIdentifiers.note(taskRequest)
    }

    /// Asks for a run like ``submit(_:)``, and calls `completionHandler` on a thread that is not the main one.
    public func submitTaskRequest(
        _ taskRequest: BGTaskRequest, completionHandler: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) {
        let result = Result { try submit(taskRequest) }
        complete("the completion handler of submitTaskRequest") {
            switch result {
            case .success: completionHandler(nil)
            case .failure(let error): completionHandler(error)
            }
        }
    }

    /// Asks for a run like ``submit(_:)``.
    ///
    /// - Throws: ``Error``.
    nonisolated(nonsending) public func submitTaskRequest(_ taskRequest: BGTaskRequest) async throws {
        try submit(taskRequest)
    }

    /// Withdraws a pending request; an unknown identifier is ignored. A run that has begun continues.
    public func cancel(taskRequestWithIdentifier identifier: String) { process.jobs.cancelRequest(identifier) }

    /// Withdraws all pending requests.
    public func cancelAllTaskRequests() { process.jobs.cancelAllRequests() }

    /// Hands out copies of the pending requests, on a thread that is not the main one.
    public func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void) {
        complete("the completion handler of getPendingTaskRequests") { [process] in
            completionHandler(process.jobs.pendingRequests().map(BGTaskRequest.make))
        }
    }

    /// Copies of the pending requests.
    nonisolated(nonsending) public func pendingTaskRequests() async -> [BGTaskRequest] {
        process.jobs.pendingRequests().map(BGTaskRequest.make)
    }

    private func complete(_ name: String, _ completion: @escaping @Sendable () -> Void) {
        process.host.mainLoop.run { [process, completions] in completions.call(name, on: process.host, completion) }
    }
}

// The names are those of the debugger's commands.
// swift-format-ignore: NoLeadingUnderscores
extension BGTaskScheduler {
    /// The run of a pending request begins with the next step of time, whatever the rules say: what one types into the
    /// debugger, as a method.
    public func _simulateLaunchForTask(withIdentifier identifier: String) {
        process.jobs.makeDue(identifier)
    }

    /// A run expires with the next step of time.
    public func _simulateExpirationForTask(withIdentifier identifier: String) {
        process.jobs.expire(identifier)
    }
}

extension BGTaskScheduler {
    /// The domain of ``Error``.
    public static let errorDomain = "BGTaskSchedulerErrorDomain"

    /// Why a request was not accepted. The message says what to do, which the real framework does not.
    public struct Error: CustomNSError, LocalizedError, Hashable, Sendable {
        /// The kinds of failure.
        public enum Code: Int, Sendable {
            /// The user has switched background refresh off, or the device is a simulator.
            case unavailable = 1
            /// As many requests of this kind are pending as the system keeps.
            case tooManyPendingTaskRequests = 2
            /// The app did not declare the identifier or the mode, or the resource is not there.
            case notPermitted = 3
            /// A continued task that does not wait cannot begin now.
            case immediateRunIneligible = 4

            /// Whether an error has this code, for `catch BGTaskScheduler.Error.notPermitted`.
            public static func ~= (code: Code, error: any Swift.Error) -> Bool {
                (error as? BGTaskScheduler.Error)?.code == code
            }
        }

        /// The kind of failure.
        public let code: Code
        private let message: String

        /// An error of that kind.
        public init(_ code: Code) {
            self.code = code
            message = "\(code)"
        }

        init(_ error: BackgroundJobError) {
            code =
                switch error.code {
                case .unavailable: .unavailable
                case .tooManyPending: .tooManyPendingTaskRequests
                case .cannotStartNow: .immediateRunIneligible
                default: .notPermitted
                }
            message = error.message
        }

        /// ``BGTaskScheduler/errorDomain``.
        public static var errorDomain: String { BGTaskScheduler.errorDomain }
        /// The number of the code.
        public var errorCode: Int { code.rawValue }
        /// What happened and what to do about it.
        public var errorDescription: String? { message }

        /// See ``Code``.
        public static var unavailable: Code { .unavailable }
        /// See ``Code``.
        public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
        /// See ``Code``.
        public static var notPermitted: Code { .notPermitted }
        /// See ``Code``.
        public static var immediateRunIneligible: Code { .immediateRunIneligible }
    }
}
