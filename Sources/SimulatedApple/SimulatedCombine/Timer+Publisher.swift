import ApusTimers

// OpenCombine's publisher of timers makes them with `Timer(timeInterval:repeats:block:)`, which on Linux fires as soon as a
// run loop has it. These methods are preferred to that one by the compiler, because nothing can be left out of them. A
// variable that is declared as a `Timer.TimerPublisher` gets OpenCombine's all the same.
extension Foundation.Timer {
    /// A publisher that sends the date again and again, for the first time after one interval.
    ///
    /// Rule: Apple, "publish(every:tolerance:on:in:options:)".
    ///
    /// - Parameters:
    ///   - interval: From one date to the next, in seconds.
    ///   - runLoop: Where it sends.
    ///   - mode: In which mode of that loop.
    /// - Returns: A publisher that sends while it is connected.
    public static func publish(
        every interval: TimeInterval, on runLoop: RunLoop, in mode: RunLoop.Mode
    ) -> TickPublisher {
        TickPublisher(interval: interval, runLoop: runLoop, mode: mode)
    }

    /// A publisher that sends the date again and again. The tolerance has no effect on Linux.
    public static func publish(
        every interval: TimeInterval, tolerance: TimeInterval?, on runLoop: RunLoop, in mode: RunLoop.Mode
    ) -> TickPublisher {
        TickPublisher(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode)
    }
}

/// Sends the date again and again. Each connection has a timer of its own. What Apple calls `Timer.TimerPublisher`.
public final class TickPublisher: ConnectablePublisher {
    /// The date at which the timer fired.
    public typealias Output = Date
    /// It does not fail.
    public typealias Failure = Never

    /// From one date to the next, in seconds.
    public let interval: TimeInterval
    /// Has no effect on Linux.
    public let tolerance: TimeInterval?
    /// Where it sends.
    public let runLoop: RunLoop
    /// In which mode of that loop.
    public let mode: RunLoop.Mode

    private let dates = PassthroughSubject<Date, Never>()

    /// A publisher that sends when it is connected.
    public init(interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode) {
        (self.interval, self.tolerance, self.runLoop, self.mode) = (interval, tolerance, runLoop, mode)
    }

    /// Sends to `subscriber` while there is a connection.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
        dates.receive(subscriber: subscriber)
    }

    /// Starts a timer, for as long as what is returned is not cancelled.
    public func connect() -> any Cancellable {
        let timer = Timer(timeInterval: interval, repeats: true) { [dates] _ in
            dates.send(Date(timeIntervalSince1970: Double(SystemTime().wall().nanoseconds) / 1e9))
        }
        // Otherwise it fires at once.
        timer.fireDate = timer.fireDate.addingTimeInterval(interval)
        runLoop.add(timer, forMode: mode)
        return AnyCancellable { timer.invalidate() }
    }
}
