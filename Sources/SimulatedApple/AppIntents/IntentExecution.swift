package import ApusDevice
import ApusTimers
import SimulatedAppleCore

/// One execution of an intent in the running process, with its connection to the device.
final class IntentExecution: Sendable {
    /// The execution to which the present task belongs; `nil` if the app itself has called `perform()`.
    @TaskLocal static var current: IntentExecution?

    private struct State {
        var cancellation: IntentCancellationReason?
        /// The tasks that wait until the app is in the foreground.
        var waiting: [UnsafeContinuation<Bool, Never>] = []
    }

    let progress: IntentProgress

    private let number: Int
    private let host: any PhoneHost
    private let state = Locked(State())
    private let cancelled = AsyncStream.makeStream(of: Void.self)

    init(_ number: Int, on host: any PhoneHost) {
        (self.number, self.host) = (number, host)
        progress = IntentProgress { completed, total in
            _ = host.ask(SimulatedIntents.self, .progress(number, Double(completed) / Double(total)))
        }
    }

    /// Makes the intent, performs it, and passes its outcome to the device.
    func perform(_ code: IntentCode) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                let outcome = await IntentExecution.$current.withValue(self) { await Self.outcome(of: code) }
                cancelled.continuation.finish()
                _ = host.ask(SimulatedIntents.self, .ended(number, outcome))
            }
            // The stream ends without an element when the intent has ended.
            for await _ in cancelled.stream { group.cancelAll() }
        }
    }

    private static func outcome(of code: IntentCode) async -> IntentOutcome {
        do {
            let result = try await code.makeIntent().perform()
            guard let parts = result as? any ResultParts else { return .finished(value: nil, dialog: nil, next: nil) }
            let next = parts.nextIntent.map { IntentRequest($0) }
            return .finished(value: parts.valueText, dialog: parts.dialogText, next: next)
        } catch {
            return .failed("\(error)")
        }
    }

    // MARK: Cancellation

    /// The reason for the cancellation; `nil` if the intent is not cancelled.
    var cancellation: IntentCancellationReason? { state.withLock { $0.cancellation } }

    func cancel(_ reason: IntentCancellationReason) {
        state.withLock { $0.cancellation = reason }
        cancelled.continuation.yield()
        resumeAll(isInForeground: false)
    }

    // MARK: Long work

    func beginLongTask() -> Bool { host.ask(SimulatedIntents.self, .beginLongTask(number)) }

    func endLongTask() { _ = host.ask(SimulatedIntents.self, .endLongTask(number)) }

    // MARK: The foreground

    func continueInForeground(_ dialog: String?) async throws {
        let isInForeground = await withUnsafeContinuation { continuation in
            let isCancelled = state.withLock { state in
                if state.cancellation == nil { state.waiting.append(continuation) }
                return state.cancellation != nil
            }
            if isCancelled { return continuation.resume(returning: false) }
            _ = host.ask(SimulatedIntents.self, .continueInForeground(number, dialog: dialog))
        }
        if !isInForeground { throw AppIntentError.foregroundRefused }
    }

    func resumeAll(isInForeground: Bool) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: isInForeground) }
    }
}

/// Performs the intents that the device passes to the running process.
final class IntentCenter: Sendable {
    private let host: any PhoneHost
    private let executions = Locked<[Int: IntentExecution]>([:])

    /// Connects the module with the running process.
    static let entry: ProgramCode.Function = {
        let process = SimulatedPhone.process
        _ = process.shared.object(of: IntentCenter.self) { IntentCenter(process.host) }
    }

    private init(_ host: any PhoneHost) {
        self.host = host
        host.observe(SimulatedIntents.self) { [weak self] event in self?.handle(event) }
    }

    private func handle(_ event: IntentEvent) {
        switch event {
        case .connect: break
        case .perform(let number, let code): perform(number, ServiceJSON.decode(IntentCode.self, from: code))
        case .cancel(let number, let reason):
            execution(number)?.cancel(reason == .timeout ? .timeout : .userCancelled)
        case .continued(let number, let isInForeground):
            execution(number)?.resumeAll(isInForeground: isInForeground)
        }
    }

    private func execution(_ number: Int) -> IntentExecution? { executions.withLock { $0[number] } }

    private func perform(_ number: Int, _ code: IntentCode) {
        let execution = IntentExecution(number, on: host)
        executions.withLock { $0[number] = execution }
        host.start { [weak self] in
            await execution.perform(code)
            self?.executions.withLock { $0[number] = nil }
        }
    }
}

/// An intent as it is passed to the app's process.
struct IntentCode: Codable {
    /// The position of the intent's type in the program.
    private let type: UInt64
    /// The values of the parameters, by their names.
    private let parameters: [String: Data]

    init(_ intent: some AppIntent) {
        type = ProgramCode.position(of: Swift.type(of: intent))
        guard type != 0 else {
            fatalError(
                "\(Swift.type(of: intent)) cannot be passed to the app; an intent is a type of the program, not a "
                    + "generic one, on Linux with glibc")
        }
        parameters = Self.parameters(of: intent).filter { $0.value.hasValue }.mapValues { $0.encoded() }
    }

    func makeIntent() async throws -> any AppIntent {
        guard let type = ProgramCode.type(at: type) as? any AppIntent.Type else {
            fatalError("there is no intent at \(self.type) in the program")
        }
        let intent = type.init()
        for (name, parameter) in Self.parameters(of: intent) {
            if let value = parameters[name] { try await parameter.set(value) }
        }
        return intent
    }

    /// Returns the parameters of an intent, which are objects, by their names.
    static func parameters(of intent: some AppIntent) -> [String: any AnyParameter] {
        var parameters: [String: any AnyParameter] = [:]
        for child in Mirror(reflecting: intent).children {
            // The property of a wrapper has the name of the wrapped one, after an underscore.
            guard let parameter = child.value as? any AnyParameter, let name = child.label?.dropFirst() else {
                continue
            }
            parameters[String(name)] = parameter
        }
        return parameters
    }
}

extension IntentRequest {
    /// Creates the request to run an intent with its parameters.
    package init<Intent: AppIntent>(_ intent: Intent) {
        self.init(
            title: Intent.title.key, entry: ProgramCode.position(of: IntentCenter.entry),
            code: ServiceJSON.encode(IntentCode(intent)),
            missingParameters: IntentCode.parameters(of: intent).filter { !$0.value.hasValue }.keys.sorted(),
            opening: Opening(Intent.supportedModes),
            needsUnlockedDevice: Intent.authenticationPolicy != .alwaysAllowed,
            isCancellable: intent is any CancellableIntent, mayBeginActivities: intent is any LiveActivityIntent)
    }
}

extension IntentRequest.Opening {
    init(_ modes: IntentModes) {
        self =
            if modes.contains(.foreground) {
                modes.contains(.background) ? .beforeIfUnlocked : .before
            } else {
                modes.contains(.foreground(.deferred)) ? .after : .never
            }
    }
}
