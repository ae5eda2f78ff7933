public import Dispatch
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

/// An action that many timers share, and which gets the token of the fired timer: scheduling with it allocates nothing.
///
/// Make one where a kind of timeout is defined, and give each timer a token that says what it is about: an index, an
/// identifier, the bits of a pointer.
///
/// ```swift
/// let idle = TimerHandler { connection in close(connection) }
/// let timer = engine.schedule(after: .seconds(30), handler: idle, token: connection)
/// ```
public class TimerHandler: @unchecked Sendable {
    // For `@unchecked Sendable`: immutable, and subclasses, which are in this module, have locks of their own.
    let executor: ActionExecutor
    private let body: (@Sendable (UInt64) -> Void)?

    /// An action for timers that are scheduled with a token.
    ///
    /// - Parameters:
    ///   - executor: Where the action runs.
    ///   - body: Runs once for each timer that fires, with the timer's token. A timer that exists keeps it.
    public init(on executor: ActionExecutor = .engine, _ body: @escaping @Sendable (_ token: UInt64) -> Void) {
        self.executor = executor
        self.body = body
    }

    /// For subclasses, which override `fired`.
    init(overridden executor: ActionExecutor) {
        self.executor = executor
        body = nil
    }

    func fired(_ token: UInt64) { body?(token) }
}
