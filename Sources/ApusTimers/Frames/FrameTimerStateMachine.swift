/// The logic of a frame timer, without clock, lock or thread: one method an event, each returns what to do.
///
/// A frame is awaited only while the handler is free: the event after a delivery is `finished`. Each wait has an
/// `epoch`; a wake-up with an older one was overtaken by a pause or another rate, and is ignored.
struct FrameTimerStateMachine: Sendable {
    private enum Schedule {
        case paused
        /// The first frame of the display that this timer owes and has neither delivered nor counted as dropped.
        case running(owed: UInt64)
        case invalidated
    }

    private var schedule = Schedule.paused
    private var isDelivering = false
    private var epoch: UInt64 = 0
    private var nextNumber = 1
    /// Dropped before the rate was changed, and not reported yet.
    private var droppedAtOtherRates: UInt64 = 0

    private let grid: FrameGrid
    private let clock: ClockKind
    /// One frame of the timer is that many of the display.
    private var stride: UInt64

    private(set) var preferredFramesPerSecond: Int?
    /// The sum of what the delivered frames reported.
    private(set) var droppedFrameCount = 0

    enum WaitAction: Equatable {
        case none
        /// Wake when the clock reaches `due`, with that epoch, and not as was asked for before.
        case wait(due: UInt64, epoch: UInt64)
        case stopWaiting
    }

    init(grid: FrameGrid, preferredFramesPerSecond: Int?, clock: ClockKind) {
        self.grid = grid
        self.clock = clock
        self.preferredFramesPerSecond = preferredFramesPerSecond
        stride = grid.stride(preferring: preferredFramesPerSecond)
    }

    /// Whether no frame is to come, until it is resumed or for good.
    var isPaused: Bool {
        switch schedule {
        case .running: false
        case .paused, .invalidated: true
        }
    }

    var framesPerSecond: Int { grid.framesPerSecond / Int(stride) }

    mutating func resume(now: UInt64) -> WaitAction {
        guard case .paused = schedule else { return .none }
        // The frame that is being shown is over for a timer that begins now: its first target lies ahead.
        let first = grid.multiple(of: stride, after: now)
        schedule = .running(owed: first)
        return isDelivering ? .none : wait(for: first)
    }

    mutating func pause() -> WaitAction {
        guard case .running = schedule else { return .none }
        schedule = .paused
        droppedAtOtherRates = 0
        return stopWaiting()
    }

    mutating func cancel() -> WaitAction {
        if case .invalidated = schedule { return .none }
        schedule = .invalidated
        return stopWaiting()
    }

    mutating func prefer(framesPerSecond wish: Int?, now: UInt64) -> WaitAction {
        preferredFramesPerSecond = wish
        let newStride = grid.stride(preferring: wish)
        guard newStride != stride else { return .none }
        let oldStride = stride
        stride = newStride
        guard case .running(let owed) = schedule else { return .none }
        let shown = grid.multiple(of: oldStride, atOrBefore: now)
        if shown >= owed { droppedAtOtherRates += (shown - owed) / oldStride + 1 }
        let next = grid.multiple(of: newStride, after: now)
        schedule = .running(owed: next)
        return isDelivering ? .none : wait(for: next)
    }

    enum FireAction: Equatable {
        case ignore
        /// The clock is before the frame that is owed. Wait again.
        case wait(due: UInt64, epoch: UInt64)
        case deliver(Frame)
    }

    /// The wait of that epoch is over.
    mutating func fired(epoch: UInt64, now: UInt64) -> FireAction {
        guard epoch == self.epoch, case .running(let owed) = schedule, !isDelivering else { return .ignore }
        let shown = grid.multiple(of: stride, atOrBefore: now)
        guard shown >= owed else {
            self.epoch += 1
            return .wait(due: grid.instant(of: owed), epoch: self.epoch)
        }
        isDelivering = true
        schedule = .running(owed: shown + stride)
        let dropped = Int(clamping: (shown - owed) / stride + droppedAtOtherRates)
        droppedAtOtherRates = 0
        droppedFrameCount += dropped
        let number = nextNumber + dropped
        nextNumber = number + 1
        return .deliver(
            Frame(
                number: number, timestamp: instant(of: shown), targetTimestamp: instant(of: shown + stride),
                duration: grid.frameDuration, droppedFrameCount: dropped))
    }

    /// The handler is free again.
    mutating func finished(now: UInt64) -> WaitAction {
        precondition(isDelivering, "only a delivered frame can be finished")
        isDelivering = false
        guard case .running(let owed) = schedule else { return .none }
        // Late work moves to the next frame: one that began while the handler was at work is dropped, unless that is
        // this very instant.
        let shown = grid.multiple(of: stride, atOrBefore: now)
        let isBeginning = grid.instant(of: shown) == now
        return wait(for: max(owed, isBeginning ? shown : shown + stride))
    }

    private func instant(of index: UInt64) -> ClockInstant {
        ClockInstant(clock: clock, nanoseconds: grid.instant(of: index))
    }

    private mutating func wait(for index: UInt64) -> WaitAction {
        epoch += 1
        return .wait(due: grid.instant(of: index), epoch: epoch)
    }

    private mutating func stopWaiting() -> WaitAction {
        epoch += 1
        return isDelivering ? .none : .stopWaiting
    }
}

/// The instants at which a display of a given rate shows its frames: frame k at k / rate seconds after the clock's
/// origin.
///
/// Each instant is computed from k alone, in full width, so nothing is accumulated and nothing drifts. All timers of
/// one rate are on one grid, so they share their wake-ups.
struct FrameGrid: Sendable, Hashable {
    /// What is accepted as a rate: displays are below, and a frame is a whole number of nanoseconds and many.
    static let acceptedRates = 1...1_000

    private static let second: UInt64 = 1_000_000_000

    private let rate: UInt64

    init(framesPerSecond: Int) {
        precondition(Self.acceptedRates.contains(framesPerSecond), "the rate was validated")
        rate = UInt64(framesPerSecond)
    }

    var framesPerSecond: Int { Int(rate) }

    /// How long one frame of the display is shown.
    var frameDuration: Duration { .seconds(1) / Int(rate) }

    /// When that frame is shown, rounded down to the nanosecond; the end of the range for frames after it.
    func instant(of index: UInt64) -> UInt64 {
        let product = index.multipliedFullWidth(by: Self.second)
        guard product.high < rate else { return .max }
        return rate.dividingFullWidth(product).quotient
    }

    /// The frame that is being shown at that instant.
    func index(at instant: UInt64) -> UInt64 {
        // The largest k with floor(k × second / rate) ≤ instant, that is, with k × second < (instant + 1) × rate.
        var (high, low) = instant.multipliedFullWidth(by: rate)
        let (sum, overflow) = low.addingReportingOverflow(rate - 1)
        low = sum
        if overflow { high += 1 }
        return Self.second.dividingFullWidth((high, low)).quotient
    }

    /// The latest frame at or before the instant whose number is a multiple of `stride`.
    func multiple(of stride: UInt64, atOrBefore instant: UInt64) -> UInt64 {
        let index = index(at: instant)
        return index - index % stride
    }

    /// The first frame after the instant whose number is a multiple of `stride`.
    func multiple(of stride: UInt64, after instant: UInt64) -> UInt64 {
        multiple(of: stride, atOrBefore: instant) + stride
    }

    /// How many frames of the display one frame is shown for, so that the rate is as near as can be to what is wished.
    ///
    /// The rates are the divisors of the display's; of two that are equally near, the faster one. Nil, zero and less
    /// wish for the display's own rate.
    func stride(preferring wish: Int?) -> UInt64 {
        guard let wish, wish > 0, UInt64(wish) < rate else { return 1 }
        let wished = Int64(wish)
        var best: UInt64 = 1
        for stride in 1...rate where rate.isMultiple(of: stride) {
            // Strides grow and rates fall, so an equal distance is that of a slower one.
            let distance = abs(Int64(rate / stride) - wished)
            if distance < abs(Int64(rate / best) - wished) { best = stride }
        }
        return best
    }
}
