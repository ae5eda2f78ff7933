import Dispatch

/// Starts commands a few at a time: each start blocks a thread for the time of a fork and an exec, and needs four
/// descriptors meanwhile.
actor CommandStarts {
    /// How many starts are under way at most.
    static let width = 4

    private var free = width
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Starts a command in its turn; `nil` if the task is cancelled before that.
    func start(
        _ launch: CommandLaunch, receive: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(CommandLaunchError) -> RunningCommand? {
        await enter()
        if Task.isCancelled {
            leave()
            return nil
        }
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(CommandLaunchError) in
                        try RunningCommand.start(launch, receive: receive)
                    })
            }
        }
        leave()
        return try result.get()
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
