import NIOCore
import NIOPosix

/// An event loop of SwiftNIO, and how to run something on it.
private final class Loop {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let eventLoop: any EventLoop

    init() { eventLoop = group.next() }

    func run(_ body: () throws -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            // It is waited for, so nothing runs at the same time.
            let body = UncheckedTransfer(body)
            try eventLoop.submit { try body.value() }.wait()
        }
    }

    func close() { try? group.syncShutdownGracefully() }
}

private struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// A scheduled task of SwiftNIO for each timer, from on the loop.
final class NIOTasks: Contestant {
    private let loop = Loop()

    func schedule(after nanoseconds: Int64, number: Int) -> Scheduled<Void> {
        loop.eventLoop.scheduleTask(in: .nanoseconds(nanoseconds)) { Fired.note(number) }
    }
    func cancel(_ handle: Scheduled<Void>) { handle.cancel() }
    func run(_ body: () throws -> Void) throws { try loop.run(body) }
    func close() { loop.close() }
}

/// A scheduled callback of SwiftNIO for each timer, from on the loop.
final class NIOCallbacks: Contestant {
    private struct Handler: NIOScheduledCallbackHandler, Sendable {
        let number: Int
        func handleScheduledCallback(eventLoop: some EventLoop) { Fired.note(number) }
    }
    private let loop = Loop()

    func schedule(after nanoseconds: Int64, number: Int) -> NIOScheduledCallback {
        loop.eventLoop.scheduleCallback(at: .now() + .nanoseconds(nanoseconds), handler: Handler(number: number))
    }
    func cancel(_ handle: NIOScheduledCallback) { handle.cancel() }
    func run(_ body: () throws -> Void) throws { try loop.run(body) }
    func close() { loop.close() }
}
