public import Dispatch

/// Where an action runs: always the caller's choice.
public struct ActionExecutor: Sendable {
    private enum Kind {
        case engine
        case queue(DispatchQueue)
        case task(any TaskExecutor)
        case mainActor
    }
    private let kind: Kind

    /// On the engine's own thread, at once: for quick work that never blocks, because every other timer waits for it.
    public static var engine: ActionExecutor { ActionExecutor(kind: .engine) }

    /// On a dispatch queue. On a serial queue, actions run in the order of their deadlines.
    public static func queue(_ queue: DispatchQueue) -> ActionExecutor { ActionExecutor(kind: .queue(queue)) }

    /// In a task that prefers `executor`.
    public static func task(_ executor: any TaskExecutor) -> ActionExecutor { ActionExecutor(kind: .task(executor)) }

    /// On the main actor. The program has to run it: an async `main`, `dispatchMain()`, or an app's event loop.
    public static var mainActor: ActionExecutor { ActionExecutor(kind: .mainActor) }

    /// Whether actions run on the engine's thread itself, without a hand-over.
    var isImmediate: Bool { if case .engine = kind { true } else { false } }

    func run(_ work: @escaping @Sendable () -> Void) {
        switch kind {
        case .engine: work()
        case .queue(let queue): queue.async(execute: work)
        case .task(let executor): Task(executorPreference: executor) { work() }
        case .mainActor: Task { @MainActor in work() }
        }
    }
}
