import NIOCore
import NIOPosix

/// An event loop of SwiftNIO, on which closures can be run.
private final class Loop {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let eventLoop: any EventLoop

    init() { eventLoop = group.next() }

    func run(_ body: () throws -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            let transfer = UncheckedTransfer(body)
            try eventLoop.submit { try transfer.call() }.wait()
        }
    }

    func close() { try? group.syncShutdownGracefully() }
}

/// The transfer of a closure to another thread.
///
/// For `@unchecked Sendable`: the caller waits for that thread, so nothing else uses the closure at the same time.
private final class UncheckedTransfer: @unchecked Sendable {
    private var body: (() throws -> Void)?

    init(_ body: @escaping () throws -> Void) { self.body = body }

    /// Calls the closure once, and releases it before returning, because the loop retains its task a little longer.
    func call() throws { try body.take()?() }
}

/// A scheduled task of SwiftNIO for each timer, set on the loop.
final class NIOTasks: Contestant {
    private let loop = Loop()

    func delay(_ nanoseconds: Int64) -> TimeAmount { .nanoseconds(nanoseconds) }
    func schedule(after delay: TimeAmount, number: Int) -> Scheduled<Void> {
        loop.eventLoop.scheduleTask(in: delay) { Fired.note(number) }
    }
    func cancel(_ handle: Scheduled<Void>) { handle.cancel() }
    func run(_ body: () throws -> Void) throws { try loop.run(body) }
    func close() { loop.close() }
}

/// A scheduled callback of SwiftNIO for each timer, set on the loop.
final class NIOCallbacks: Contestant {
    private struct Handler: NIOScheduledCallbackHandler, Sendable {
        let number: Int
        func handleScheduledCallback(eventLoop: some EventLoop) { Fired.note(number) }
    }
    private let loop = Loop()

    func delay(_ nanoseconds: Int64) -> TimeAmount { .nanoseconds(nanoseconds) }
    func schedule(after delay: TimeAmount, number: Int) -> NIOScheduledCallback {
        do {
            return try loop.eventLoop.scheduleCallback(
                in: delay, handler: Handler(number: number))
        } catch {
            preconditionFailure("the event loop takes no callback: \(error)")
        }
    }
    func cancel(_ handle: NIOScheduledCallback) { handle.cancel() }
    func run(_ body: () throws -> Void) throws { try loop.run(body) }
    func close() { loop.close() }
}
