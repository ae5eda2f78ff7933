/// One way to set and cancel timers, in the form that the costs of its operations are measured in.
protocol Contestant: AnyObject, SendableMetatype {
    associatedtype Handle
    /// What it takes for a time from now.
    associatedtype Delay

    /// Made in advance, because what a program waits for is mostly a constant.
    func delay(_ nanoseconds: Int64) -> Delay
    /// Sets a timer whose closure captures an integer.
    func schedule(after delay: Delay, number: Int) -> Handle
    func cancel(_ handle: Handle)
    /// Gives a timer a later deadline, in the cheapest way that there is.
    func reset(_ handle: inout Handle, after delay: Delay, number: Int)
    /// Waits until what was scheduled and cancelled is done, where the calls return before it is.
    func settle()
    /// Runs `body` where its timers are set from.
    func run(_ body: () throws -> Void) throws
    /// How many timers there are, where it can be asked.
    var live: Int? { get }
    /// Ends everything that it started.
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
