import TimerWheel

/// What the payload of a timer stands for. The payload owns what it refers to; the thread that removes or starts the
/// timer takes it over, once.
enum TimerAction {
    /// A closure for the engine's thread.
    case closure(@Sendable () -> Void)
    /// A closure for somewhere else.
    case elsewhere(ElsewhereAction)
    /// A shared action and its token.
    case handler(TimerHandler, token: UInt64)
    /// A sleeping task.
    case continuation(UnsafeContinuation<Void, any Error>)

    /// A closure and where it runs.
    final class ElsewhereAction: Sendable {
        let executor: ActionExecutor
        let body: @Sendable () -> Void

        init(executor: ActionExecutor, body: @escaping @Sendable () -> Void) {
            self.executor = executor
            self.body = body
        }
    }

    /// What runs it; for a sleeping task, what resumes it.
    @inline(__always)
    consuming func run() {
        switch consume self {
        case .closure(let body): body()
        case .elsewhere(let action): action.body()
        case .handler(let handler, let token): handler.fired(token)
        case .continuation(let continuation): continuation.resume()
        }
    }

    /// What happens to it when its engine ends.
    func abandon() {
        if case .continuation(let continuation) = self { continuation.resume(throwing: CancellationError()) }
    }
}

extension TimerPayload {
    private enum Tag {
        static var closure: UInt8 { 0 }
        static var continuation: UInt8 { 1 }
        static var handler: UInt8 { 2 }
        /// From here on: not for the engine's thread, and `first` is an object.
        static var elsewhere: UInt8 { 3 }
        static var handlerElsewhere: UInt8 { 4 }
    }

    /// In a struct, a closure is kept as the two words that it is; in generic storage it would be wrapped in another.
    private struct Closure {
        let body: @Sendable () -> Void
    }

    @inline(__always)
    static func closure(_ body: consuming @escaping @Sendable () -> Void) -> TimerPayload {
        let closure = Closure(body: body)
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutablePointer(to: &words) { words in
            _ = UnsafeMutableRawPointer(words).initializeMemory(as: Closure.self, to: closure)
        }
        return TimerPayload(words.0, words.1, tag: Tag.closure)
    }

    @inline(__always)
    static func action(_ body: consuming @escaping @Sendable () -> Void, on executor: ActionExecutor) -> TimerPayload {
        if executor.isImmediate { return closure(body) }
        return TimerPayload(
            bits(Unmanaged.passRetained(TimerAction.ElsewhereAction(executor: executor, body: body))),
            tag: Tag.elsewhere
        )
    }

    @inline(__always)
    static func handler(_ handler: TimerHandler, token: UInt64) -> TimerPayload {
        TimerPayload(
            bits(Unmanaged.passRetained(handler)), token,
            tag: handler.executor.isImmediate ? Tag.handler : Tag.handlerElsewhere
        )
    }

    @inline(__always)
    static func continuation(_ continuation: UnsafeContinuation<Void, any Error>) -> TimerPayload {
        TimerPayload(UInt64(unsafeBitCast(continuation, to: UInt.self)), tag: Tag.continuation)
    }

    /// Takes over what the payload owns.
    @inline(__always)
    func intoAction() -> TimerAction {
        switch tag {
        case Tag.closure:
            var words = (first, second)
            let closure = withUnsafeMutablePointer(to: &words) { words in
                UnsafeMutableRawPointer(words).assumingMemoryBound(to: Closure.self).move()
            }
            return .closure(closure.body)
        case Tag.continuation:
            return .continuation(unsafeBitCast(UInt(first), to: UnsafeContinuation<Void, any Error>.self))
        case Tag.elsewhere:
            return .elsewhere(object(TimerAction.ElsewhereAction.self).takeRetainedValue())
        default:
            return .handler(object(TimerHandler.self).takeRetainedValue(), token: second)
        }
    }

    /// The address of the object that no other timer shares; 0 without one.
    @inline(__always)
    var ownObject: UInt64 {
        switch tag {
        case Tag.closure: second
        case Tag.elsewhere: first
        default: 0
        }
    }

    /// Whether it has to be handed over to another executor.
    @inline(__always)
    var isForElsewhere: Bool { tag >= Tag.elsewhere }

    /// Where it runs, with the object that says so. The payload keeps what it owns; the object is kept by the result.
    ///
    /// Only under the lock of the shard, as long as the timer is known to live.
    func retainedExecutor() -> ActionExecutor {
        tag == Tag.elsewhere
            ? object(TimerAction.ElsewhereAction.self).takeUnretainedValue().executor
            : object(TimerHandler.self).takeUnretainedValue().executor
    }

    private static func bits<Object>(_ object: Unmanaged<Object>) -> UInt64 {
        UInt64(UInt(bitPattern: object.toOpaque()))
    }

    @inline(__always)
    private func object<Object: AnyObject>(_: Object.Type) -> Unmanaged<Object> {
        // `first` was made from an object of that type by the code that chose the tag.
        .fromOpaque(UnsafeRawPointer(bitPattern: UInt(first)).unsafelyUnwrapped)
    }
}
