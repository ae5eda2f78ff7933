import ApusClient
import Dispatch

/// Starts commands a few at a time: each start blocks a thread for the time of a fork and an exec, and needs four
/// descriptors meanwhile.
actor CommandStarts {
    /// How many starts are under way at most.
    static let width = 4

    /// Serial queues, one for each start at a time: the threads of the global queues are watched by a timer of Dispatch's
    /// that wakes the process each second for ever (``EventLoopExecutor``).
    private var free = (0..<width).map { DispatchQueue(label: "apus.command-start.\($0)") }
    private var waiting: [CheckedContinuation<DispatchQueue, Never>] = []

    /// Starts a command in its turn; `nil` if the task is cancelled before that.
    func start(
        _ launch: CommandLaunch, receive: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(CommandLaunchError) -> RunningCommand? {
        let queue = await enter()
        if Task.isCancelled {
            leave(queue)
            return nil
        }
        let result = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: Result { () throws(CommandLaunchError) in
                        try RunningCommand.start(launch, receive: receive)
                    })
            }
        }
        leave(queue)
        return try result.get()
    }

    private func enter() async -> DispatchQueue {
        if let queue = free.popLast() { return queue }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func leave(_ queue: DispatchQueue) {
        if waiting.isEmpty {
            free.append(queue)
        } else {
            waiting.removeFirst().resume(returning: queue)
        }
    }
}
