public import Testing

/// There is one simulated phone in a process, and the suites of several modules use it. A test with this trait waits for
/// its turn: also for an asynchronous test, which leaves the main actor while its phone is on.
public struct PhoneTurn: SuiteTrait, TestTrait, TestScoping {
    /// Every test of the suite has a turn of its own.
    public var isRecursive: Bool { true }

    /// Runs a test when it is its turn.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Turns.shared.take()
        do {
            try await function()
        } catch {
            await Turns.shared.give()
            throw error
        }
        await Turns.shared.give()
    }

    /// One turn for each case of a test, and none for a suite, whose tests would wait for it.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> PhoneTurn? { testCase == nil ? nil : self }
}

extension Trait where Self == PhoneTurn {
    /// The test uses the simulated phone.
    public static var phoneTurn: PhoneTurn { PhoneTurn() }
}

/// Whose turn it is, in the order in which they came.
private actor Turns {
    static let shared = Turns()

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func give() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
