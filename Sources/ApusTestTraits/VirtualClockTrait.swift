public import ApusTimers
public import ApusVirtualTime
public import Testing

/// Runs a test in a process of its own, in which time is virtual: sleeps, timers and time-outs take no real time, in code
/// that knows nothing of it.
///
///     @Test(.virtualClock) func retriesForHours() async throws { … }
///
/// The trait of a suite holds for every test in it; the trait of a test or of an inner suite takes precedence. All cases of
/// a parameterized test run in one process, one after the other. `ApusTesting.ProcessClock` describes what is virtual.
///
/// Issues of that process are recorded as issues of the test, with their place in the source. Its standard output and
/// error output appear among those of the test run. Attachments are not carried over. A crash, a process that hangs, and
/// a machine where time cannot be virtual are issues of the test; it is never skipped.
///
/// Swift Testing's `.timeLimit` counts virtual time in that process.
public struct VirtualClockTrait: TestTrait, SuiteTrait, Equatable {
    /// What moves the time.
    public var mode: ProcessClock.Mode
    /// The time of day at which the test begins, on the wall clock.
    public var wall: WallInstant
    /// How long the test may take, in the machine's time. Loading the program is not part of it.
    public var limit: Duration

    /// The tests of a suite with the trait, and of the suites in it, have the trait.
    public var isRecursive: Bool { true }
}

extension Trait where Self == VirtualClockTrait {
    /// Runs the test in a process of its own, in which time goes to the next deadline whenever nothing can run. It begins
    /// at 2026-01-01T00:00:00Z, and may take a minute of the machine's time.
    public static var virtualClock: Self { virtualClock() }

    /// Runs the test in a process of its own, in which time is virtual.
    ///
    /// - Parameters:
    ///   - mode: what moves the time.
    ///   - wall: the time of day at which the test begins. Other clocks begin as `ApusTesting.ProcessClock` says.
    ///   - limit: how long the test may take, in the machine's time, counted from the beginning of virtual time. After
    ///     that its process is ended, with an issue that says what runs in it and what waits. Loading the program may take
    ///     another minute.
    /// - Returns: the trait, for a test or a suite.
    public static func virtualClock(
        _ mode: ProcessClock.Mode = .automatic, wall: WallInstant = WallInstant(secondsSince1970: 1_767_225_600),
        limit: Duration = .seconds(60)
    ) -> Self {
        VirtualClockTrait(mode: mode, wall: wall, limit: limit)
    }
}
