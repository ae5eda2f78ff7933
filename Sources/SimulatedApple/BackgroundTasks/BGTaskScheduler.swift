import ApusBackground
import ApusVirtualTime
import Dispatch
import SimulatedAppleCore

/// The app's interface to background work on the simulated phone, which can be used on any thread.
///
/// Launch handlers are called on a thread other than the main one, unless `register` was given the main queue; the
/// device waits until they return. A handler that is isolated to the main actor therefore crashes here, as on a phone.
/// Where a phone raises an exception, the device records a fault.
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

    /// The resources that continued tasks can request: the graphics processor if the device's policy allows it.
    public class var supportedResources: BGContinuedProcessingTaskRequest.Resources {
        SimulatedPhone.process.host.allowsBackgroundGPU ? .gpu : []
    }

    /// Registers the handler for the tasks with an identifier; call it during the app's launch.
    ///
    /// - Parameters:
    ///   - identifier: An identifier that the app declares.
    ///   - queue: The queue on which the handler is called; `nil` for a queue in the background.
    ///   - launchHandler: Performs the work, and completes the task.
    /// - Returns: `false` if the app does not declare the identifier. It is also `false`, with a fault of the device,
    ///   for a second handler of an identifier, and after the launch.
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

    /// Submits a request, which replaces a pending one with the same identifier.
    ///
    /// If there is no handler for the identifier, the device records a fault, and nothing else happens.
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

    /// Submits a request like ``submit(_:)``, and calls `completionHandler` on a thread other than the main one.
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

    /// Submits a request like ``submit(_:)``.
    ///
    /// - Throws: ``Error``.
    nonisolated(nonsending) public func submitTaskRequest(_ taskRequest: BGTaskRequest) async throws {
        try submit(taskRequest)
    }

    /// Cancels a pending request; an unknown identifier is ignored, and a run that has begun continues.
    public func cancel(taskRequestWithIdentifier identifier: String) { process.jobs.cancelRequest(identifier) }

    /// Cancels all pending requests.
    public func cancelAllTaskRequests() { process.jobs.cancelAllRequests() }

    /// Calls a handler with copies of the pending requests, on a thread other than the main one.
    public func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void) {
        complete("the completion handler of getPendingTaskRequests") { [process] in
            completionHandler(process.jobs.pendingRequests().map(BGTaskRequest.make))
        }
    }

    /// Returns copies of the pending requests.
    nonisolated(nonsending) public func pendingTaskRequests() async -> [BGTaskRequest] {
        process.jobs.pendingRequests().map(BGTaskRequest.make)
    }

    private func complete(_ name: String, _ completion: @escaping @Sendable () -> Void) {
        process.host.mainLoop.run { [process, completions] in completions.call(name, on: process.host, completion) }
    }
}

// The names are those of commands for Apple's debugger.
// swift-format-ignore: NoLeadingUnderscores
extension BGTaskScheduler {
    /// Makes a pending request run with the next step of time, whatever the rules say.
    ///
    /// On a phone the debugger calls it.
    public func _simulateLaunchForTask(withIdentifier identifier: String) {
        process.jobs.makeDue(identifier)
    }

    /// Makes a run expire with the next step of time.
    public func _simulateExpirationForTask(withIdentifier identifier: String) {
        process.jobs.expire(identifier)
    }
}

extension BGTaskScheduler {
    /// The domain of ``Error``.
    public static let errorDomain = "BGTaskSchedulerErrorDomain"

    /// The refusal of a request; unlike an error of the real framework, its message contains the remedy.
    public struct Error: CustomNSError, LocalizedError, Hashable, Sendable {
        /// The kinds of refusal.
        public enum Code: Int, Sendable {
            /// The user has turned background refresh off, or the device is a simulator.
            case unavailable = 1
            /// The largest number of requests of this kind is pending already.
            case tooManyPendingTaskRequests = 2
            /// The app has not declared the identifier or the background mode, or the resource does not exist.
            case notPermitted = 3
            /// A continued task whose strategy is `fail` cannot begin now.
            case immediateRunIneligible = 4

            /// Returns whether an error has this code, for `catch BGTaskScheduler.Error.notPermitted`.
            public static func ~= (code: Code, error: any Swift.Error) -> Bool {
                (error as? BGTaskScheduler.Error)?.code == code
            }
        }

        /// The kind of refusal.
        public let code: Code
        private let message: String

        /// Creates an error of a kind.
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

        /// The same as ``BGTaskScheduler/errorDomain``.
        public static var errorDomain: String { BGTaskScheduler.errorDomain }
        /// The number of the code.
        public var errorCode: Int { code.rawValue }
        /// The reason and the remedy.
        public var errorDescription: String? { message }

        /// The code ``Code/unavailable``.
        public static var unavailable: Code { .unavailable }
        /// The code ``Code/tooManyPendingTaskRequests``.
        public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
        /// The code ``Code/notPermitted``.
        public static var notPermitted: Code { .notPermitted }
        /// The code ``Code/immediateRunIneligible``.
        public static var immediateRunIneligible: Code { .immediateRunIneligible }
    }
}
