/// Decides when a frame timer waits and delivers, without a clock, lock or thread: each event is a method that returns
/// the next action.
///
/// The machine waits for a frame only while the handler is free; after a delivery, the next event is `finished`. Each
/// wait has an `epoch`. A wake-up with an older epoch was overtaken by a pause or a change of the rate, and is ignored.
struct FrameTimerStateMachine: Sendable {
    private enum Schedule {
        case paused
        /// The next frame to deliver is number `owed` of the display's frames; earlier ones were delivered or counted
        /// as dropped.
        case running(owed: UInt64)
        case invalidated
    }

    private var schedule = Schedule.paused
    private var isDelivering = false
    private var epoch: UInt64 = 0
    private var nextNumber = 1
    /// How many frames were dropped before a change of the rate and have not been reported yet.
    private var droppedAtOtherRates: UInt64 = 0

    private let grid: FrameGrid
    private let clock: ClockKind
    /// How many of the display's frames one frame of the timer lasts.
    private var stride: UInt64

    private(set) var preferredFramesPerSecond: Int?
    /// The sum of the dropped frames that were reported.
    private(set) var droppedFrameCount = 0

    enum WaitAction: Equatable {
        case none
        /// Wait until the clock reaches `due`, instead of the previous wait, and then report `epoch`.
        case wait(due: UInt64, epoch: UInt64)
        case stopWaiting
    }

    init(grid: FrameGrid, preferredFramesPerSecond: Int?, clock: ClockKind) {
        self.grid = grid
        self.clock = clock
        self.preferredFramesPerSecond = preferredFramesPerSecond
        stride = grid.stride(preferring: preferredFramesPerSecond)
    }

    /// Whether the timer is paused or cancelled.
    var isPaused: Bool {
        switch schedule {
        case .running: false
        case .paused, .invalidated: true
        }
    }

    var framesPerSecond: Int { grid.framesPerSecond / Int(stride) }

    mutating func resume(now: UInt64) -> WaitAction {
        guard case .paused = schedule else { return .none }
        // The timer does not deliver the frame that is being shown now; its first frame is the next one.
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
        /// Wait again, because the clock is still before the frame.
        case wait(due: UInt64, epoch: UInt64)
        case deliver(Frame)
    }

    /// Delivers a frame when the wait with this epoch has ended, or waits again if the frame has not begun.
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

    /// Returns the wait for the next frame, after the handler has returned.
    mutating func finished(now: UInt64) -> WaitAction {
        precondition(isDelivering, "only a delivered frame can be finished")
        isDelivering = false
        guard case .running(let owed) = schedule else { return .none }
        // Frames that began before now, while the handler ran, are dropped. A frame that begins exactly now is not.
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

/// The instants at which a display shows its frames: frame k at k / rate seconds after the clock's origin.
///
/// Each instant is computed from k alone, in full width, so that it does not drift. All timers with one rate use the
/// same grid, so they share their wake-ups.
struct FrameGrid: Sendable, Hashable {
    /// The accepted rates, which include those of all displays; a frame lasts at least 1 ms at each of these rates.
    static let acceptedRates = 1...1_000

    private static let second: UInt64 = 1_000_000_000

    private let rate: UInt64

    init(framesPerSecond: Int) {
        precondition(Self.acceptedRates.contains(framesPerSecond), "the rate was validated")
        rate = UInt64(framesPerSecond)
    }

    var framesPerSecond: Int { Int(rate) }

    /// The length of one frame of the display.
    var frameDuration: Duration { .seconds(1) / Int(rate) }

    /// Returns when a frame is shown, rounded down to the nanosecond; `.max` for frames after the end of the range.
    func instant(of index: UInt64) -> UInt64 {
        let product = index.multipliedFullWidth(by: Self.second)
        guard product.high < rate else { return .max }
        return rate.dividingFullWidth(product).quotient
    }

    /// Returns the frame that is shown at an instant.
    func index(at instant: UInt64) -> UInt64 {
        // This is the largest k with floor(k × second / rate) ≤ instant, that is, with k × second < (instant + 1) ×
        // rate.
        var (high, low) = instant.multipliedFullWidth(by: rate)
        let (sum, overflow) = low.addingReportingOverflow(rate - 1)
        low = sum
        if overflow { high += 1 }
        return Self.second.dividingFullWidth((high, low)).quotient
    }

    /// Returns the latest frame at or before an instant, among the frames whose numbers are multiples of `stride`.
    func multiple(of stride: UInt64, atOrBefore instant: UInt64) -> UInt64 {
        let index = index(at: instant)
        return index - index % stride
    }

    /// Returns the first frame after an instant, among the frames whose numbers are multiples of `stride`.
    func multiple(of stride: UInt64, after instant: UInt64) -> UInt64 {
        multiple(of: stride, atOrBefore: instant) + stride
    }

    /// Returns how many of the display's frames one frame must last so that the rate is nearest to the preferred one.
    ///
    /// The possible rates are the divisors of the display's; if two are equally near, the faster one is used. Nil, zero
    /// and negative values prefer the display's own rate.
    func stride(preferring wish: Int?) -> UInt64 {
        guard let wish, wish > 0, UInt64(wish) < rate else { return 1 }
        let wished = Int64(wish)
        var best: UInt64 = 1
        for stride in 1...rate where rate.isMultiple(of: stride) {
            // Rates fall as strides grow, so the faster of two equally near rates is found first, and the slower does
            // not replace it.
            let distance = abs(Int64(rate / stride) - wished)
            if distance < abs(Int64(rate / best) - wished) { best = stride }
        }
        return best
    }
}
