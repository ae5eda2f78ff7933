import TimerWheel

/// Everything that the engine's lock protects. No method here calls user code.
struct EngineState: ~Copyable {
    struct Observer {
        let executor: ActionExecutor
        let handler: @Sendable () -> Void
    }

    /// One timer that was found due: its name, and where its action runs.
    struct Due: Sendable {
        let clock: ClockKind
        let handle: TimerHandle
        let executor: ActionExecutor
    }

    private var uptime: TimerWheel
    private var continuous: TimerWheel
    private var wall: TimerWheel
    /// What each clock's kernel timer is armed for; nil: disarmed.
    private var armed: (UInt64?, UInt64?, UInt64?) = (nil, nil, nil)
    /// Set when the wall clock was set: its kernel timer may be anything, and `armed` must not be believed.
    private var wallArmingIsUnknown = false
    private let buffer: UnsafeMutableBufferPointer<TimerHandle>

    /// How many due timers are taken under one hold of the lock, so that a million due timers do not block `schedule`.
    private static var budget: Int { 128 }

    /// A drain arms when it is done, so that nobody needs to arm meanwhile.
    var isDraining = false
    var isShutDown = false
    var observers: [UInt64: Observer] = [:]
    var nextObserver: UInt64 = 0
    var statistics = TimerEngine.Statistics()

    init(time: any TimeSource) {
        uptime = TimerWheel(now: time.uptime().nanoseconds)
        continuous = TimerWheel(now: time.continuous().nanoseconds)
        wall = TimerWheel(now: time.wall().nanoseconds)
        buffer = .allocate(capacity: Self.budget)
    }

    deinit { buffer.deallocate() }

    var liveTimers: Int { uptime.count + continuous.count + wall.count }

    mutating func withWheel<Result>(_ clock: ClockKind, _ body: (inout TimerWheel) -> Result) -> Result {
        switch clock {
        case .uptime: body(&uptime)
        case .continuous: body(&continuous)
        case .wall: body(&wall)
        }
    }

    /// Puts a timer in and re-arms if it is the earliest.
    mutating func insert(
        _ entry: consuming TimerEntry, clock: ClockKind, deadline: UInt64, tolerance: UInt64, wakeup: any Wakeup
    ) -> TimerHandle {
        let payload = entry.intoPayload()
        let handle = withWheel(clock) { wheel in
            wheel.insert(deadline: deadline, tolerance: tolerance, payload: payload)
        }
        if !isDraining {
            let (sum, overflow) = deadline.addingReportingOverflow(tolerance)
            let hard = overflow ? .max : sum
            if armedDeadline(clock).map({ hard < $0 }) ?? true { arm(clock, at: hard, wakeup) }
        }
        return handle
    }

    /// Takes a timer out and re-arms if it was the earliest.
    mutating func remove(_ clock: ClockKind, _ handle: TimerHandle, wakeup: any Wakeup) -> TimerEntry? {
        guard let removed = withWheel(clock, { $0.remove(handle) }) else { return nil }
        if removed.wasWaiting, !isDraining, removed.hardDeadline == armedDeadline(clock) { rearm(clock, wakeup) }
        return .consume(removed.payload)
    }

    /// Takes up to a batch of due timers, in their order. Empty: nothing is due on any clock.
    mutating func takeDue(at time: any TimeSource) -> [Due] {
        for clock in ClockKind.allCases {
            // Read under the lock: two readers outside could come here in the wrong order.
            let now = time.nanoseconds(on: clock)
            // The kernel's timer went off: to sleep until the same instant again it has to be armed again.
            if let deadline = armedDeadline(clock), deadline <= now { setArmed(clock, nil) }
            let handles = buffer
            let batch = withWheel(clock) { wheel in
                let count = wheel.takeDue(now: now, into: handles)
                return handles[..<count].map { handle in
                    guard let payload = wheel.payload(handle) else {
                        preconditionFailure("a timer vanished while it was taken")
                    }
                    return Due(clock: clock, handle: handle, executor: TimerEntry.peek(payload).executor)
                }
            }
            if !batch.isEmpty { return batch }
        }
        return []
    }

    mutating func rearmAll(_ wakeup: any Wakeup) {
        for clock in ClockKind.allCases { rearm(clock, wakeup) }
    }

    /// Arms the clock for its earliest deadline, if it is not armed for that already.
    mutating func rearm(_ clock: ClockKind, _ wakeup: any Wakeup) {
        var next = withWheel(clock) { $0.nextWake() }
        // Far ahead: the kernel then reports settings of the clock, and nothing else wakes.
        if clock == .wall, next == nil, !observers.isEmpty { next = .max }
        let isUnknown = clock == .wall && wallArmingIsUnknown
        if next != armedDeadline(clock) || isUnknown { arm(clock, at: next, wakeup) }
    }

    /// The wall clock's kernel timer may be anything now: the next `rearm` must not believe that it is unchanged.
    mutating func forgetWallArming() { wallArmingIsUnknown = true }

    /// Takes every entry out, to be released outside the lock.
    mutating func removeAll(_ body: (TimerEntry) -> Void) {
        for clock in ClockKind.allCases {
            withWheel(clock) { wheel in wheel.removeAll { body(.consume($0)) } }
        }
    }

    private mutating func arm(_ clock: ClockKind, at deadline: UInt64?, _ wakeup: any Wakeup) {
        setArmed(clock, deadline)
        if clock == .wall { wallArmingIsUnknown = false }
        statistics.rearms += 1
        wakeup.arm(clock, at: deadline)
    }

    private func armedDeadline(_ clock: ClockKind) -> UInt64? {
        switch clock {
        case .uptime: armed.0
        case .continuous: armed.1
        case .wall: armed.2
        }
    }

    private mutating func setArmed(_ clock: ClockKind, _ deadline: UInt64?) {
        switch clock {
        case .uptime: armed.0 = deadline
        case .continuous: armed.1 = deadline
        case .wall: armed.2 = deadline
        }
    }
}
