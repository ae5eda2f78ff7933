/// An implementation of timers, in the form in which the costs of its operations are measured.
protocol Contestant: AnyObject, SendableMetatype {
    associatedtype Handle
    associatedtype Delay

    /// Returns a delay, which is computed in advance because most programs wait for constant times.
    func delay(_ nanoseconds: Int64) -> Delay
    /// Sets a timer whose closure captures an integer.
    func schedule(after delay: Delay, number: Int) -> Handle
    func cancel(_ handle: Handle)
    /// Gives a timer a later deadline in the cheapest way.
    func reset(_ handle: inout Handle, after delay: Delay, number: Int)
    /// Waits until the effects of earlier calls are complete, if those calls return earlier.
    func settle()
    /// Runs `body` in the context from which the timers are set.
    func run(_ body: () throws -> Void) throws
    /// The number of live timers; `nil` if the implementation does not report it.
    var live: Int? { get }
    /// Ends everything that the contestant has started.
    func close()
}

extension Contestant {
    func reset(_ handle: inout Handle, after delay: Delay, number: Int) {
        cancel(handle)
        handle = schedule(after: delay, number: number)
    }
    func settle() {}
    func run(_ body: () throws -> Void) throws { try body() }
    var live: Int? { nil }
    func close() {}
}
