/// What a wheel's payload stands for: the action of one timer and where it runs.
///
/// The wheel holds it as an unmanaged reference; whoever removes the record takes the reference over, once.
final class TimerEntry: Sendable {
    let executor: ActionExecutor
    let action: @Sendable () -> Void
    /// Called instead of the action when the engine shuts down.
    let abandon: (@Sendable () -> Void)?

    init(executor: ActionExecutor, action: @escaping @Sendable () -> Void, abandon: (@Sendable () -> Void)? = nil) {
        self.executor = executor
        self.action = action
        self.abandon = abandon
    }

    /// The payload for the wheel; it owns one reference.
    consuming func intoPayload() -> UInt64 {
        UInt64(UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()))
    }

    /// Takes over the reference that the payload owns.
    static func consume(_ payload: UInt64) -> TimerEntry {
        unmanaged(payload).takeRetainedValue()
    }

    /// Looks at the entry without taking its reference: only while the record is in the wheel, under the engine's lock.
    static func peek(_ payload: UInt64) -> TimerEntry {
        unmanaged(payload).takeUnretainedValue()
    }

    private static func unmanaged(_ payload: UInt64) -> Unmanaged<TimerEntry> {
        guard let pointer = UnsafeRawPointer(bitPattern: UInt(payload)) else {
            preconditionFailure("a wheel holds only payloads that an entry made")
        }
        return .fromOpaque(pointer)
    }
}
