public import Dispatch
import TimerWheel

/// The action that a timer's payload encodes.
///
/// The payload owns the objects to which it refers. The thread that removes or starts the timer takes them over, once.
enum TimerAction {
    /// A closure that runs on the engine's thread.
    case closure(@Sendable () -> Void)
    /// A closure that runs on another executor.
    case elsewhere(ElsewhereAction)
    /// A shared action and its token.
    case handler(TimerHandler, token: UInt64)
    /// A sleeping task.
    case continuation(UnsafeContinuation<Void, any Error>)

    /// A closure with its executor.
    final class ElsewhereAction: Sendable {
        let executor: ActionExecutor
        let body: @Sendable () -> Void

        init(executor: ActionExecutor, body: @escaping @Sendable () -> Void) {
            self.executor = executor
            self.body = body
        }
    }

    /// Runs the action; a sleeping task is resumed.
    @inline(__always)
    consuming func run() {
        switch consume self {
        case .closure(let body): body()
        case .elsewhere(let action): action.body()
        case .handler(let handler, let token): handler.fired(token)
        case .continuation(let continuation): continuation.resume()
        }
    }

    /// Ends the action without running it; a sleeping task is resumed with `CancellationError`.
    func abandon() {
        if case .continuation(let continuation) = self { continuation.resume(throwing: CancellationError()) }
    }
}

extension TimerPayload {
    private enum Tag {
        static var closure: UInt8 { 0 }
        static var continuation: UInt8 { 1 }
        static var handler: UInt8 { 2 }
        /// From this tag on, actions run on other executors, and `first` is an object.
        static var elsewhere: UInt8 { 3 }
        static var handlerElsewhere: UInt8 { 4 }
    }

    /// Holds a closure, because a struct stores a closure as its two words.
    ///
    /// Generic storage would wrap the closure in another closure.
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

    /// Takes over the objects that the payload owns; called once.
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

    /// The address of the object that only this timer uses; 0 if there is none.
    @inline(__always)
    var ownObject: UInt64 {
        switch tag {
        case Tag.closure: second
        case Tag.elsewhere: first
        default: 0
        }
    }

    /// Whether the action runs on an executor other than the engine's thread.
    @inline(__always)
    var isForElsewhere: Bool { tag >= Tag.elsewhere }

    /// Returns the action's executor, retained; the payload keeps what it owns.
    ///
    /// The caller holds the shard's lock, under which the timer is known to be live.
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
        // The code that chose the tag made `first` from an object of that type.
        .fromOpaque(UnsafeRawPointer(bitPattern: UInt(first)).unsafelyUnwrapped)
    }
}

/// Decides where an action runs.
public struct ActionExecutor: Sendable {
    private enum Kind {
        case engine
        case queue(DispatchQueue)
        case task(any TaskExecutor)
        case mainActor
    }
    private let kind: Kind

    /// Runs actions directly on the engine's thread.
    ///
    /// Actions must be quick and never block there, because every other timer waits for them.
    public static var engine: ActionExecutor { ActionExecutor(kind: .engine) }

    /// Runs actions on a dispatch queue.
    ///
    /// A serial queue runs the actions in the order of their deadlines.
    public static func queue(_ queue: DispatchQueue) -> ActionExecutor { ActionExecutor(kind: .queue(queue)) }

    /// Runs each action in a new task that prefers `executor`.
    public static func task(_ executor: any TaskExecutor) -> ActionExecutor { ActionExecutor(kind: .task(executor)) }

    /// Runs actions on the main actor.
    ///
    /// The program must run the main actor, with an async `main`, `dispatchMain()`, or an app's event loop.
    public static var mainActor: ActionExecutor { ActionExecutor(kind: .mainActor) }

    /// Whether actions run directly on the engine's thread.
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

/// An action that many timers share, so that scheduling allocates nothing; each timer passes it a token.
///
/// Make one handler for each kind of timeout, and give each timer a token that identifies its object: an index, an
/// identifier, or the bits of a pointer.
///
/// ```swift
/// let idle = TimerHandler { connection in close(connection) }
/// let timer = engine.schedule(after: .seconds(30), handler: idle, token: connection)
/// ```
public class TimerHandler: @unchecked Sendable {
    // For `@unchecked Sendable`: the class is immutable, and its subclasses, all in this module, have their own locks.
    let executor: ActionExecutor
    private let body: (@Sendable (UInt64) -> Void)?

    /// Creates an action for timers that are scheduled with a token.
    ///
    /// - Parameters:
    ///   - executor: Where the action runs.
    ///   - body: Called once for each timer that fires, with the timer's token. Each live timer retains it.
    public init(on executor: ActionExecutor = .engine, _ body: @escaping @Sendable (_ token: UInt64) -> Void) {
        self.executor = executor
        self.body = body
    }

    /// Creates the base of a subclass that overrides `fired`.
    init(overridden executor: ActionExecutor) {
        self.executor = executor
        body = nil
    }

    func fired(_ token: UInt64) { body?(token) }
}
