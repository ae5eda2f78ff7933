import ApusBackground
import ApusTimers

/// The obstacles to jobs.
///
/// Only refreshes are held back by the battery, the low-power mode and the budget, as in the table of WWDC20 10063.
extension TaskSchedulerMachine {
    /// Returns the reasons for which a request does not run now, in a fixed order.
    func obstacles(to entry: JobRequestBook.Entry, now: ClockReading) -> [BackgroundJobObstacle] {
        let (request, running) = (entry.request, running)
        var obstacles: [BackgroundJobObstacle] = []
        func add(_ obstacle: BackgroundJobObstacle, if isThere: Bool) { if isThere { obstacles.append(obstacle) } }

        add(.running, if: running.contains { $0.identifier == request.identifier })
        add(.lockedSinceBoot, if: !scene.wasUnlockedSinceBoot)
        add(.busy, if: scene.isAppEnding)
        if request.isContinued {
            add(.busy, if: !scene.isAppEnding && running.count(where: \.isContinued) >= policy.continuedAtOnce)
            return obstacles
        }
        add(.notBefore(entry.due), if: entry.due > now.wall)
        add(.backgroundRefreshOff, if: !scene.isBackgroundRefreshOn)
        add(.appInForeground, if: scene.isAppInFront)
        switch request.kind {
        case .refresh: obstacles += refreshObstacles(entry, now: now)
        case .processing(let requiresNetwork, let requiresExternalPower):
            let isGone = scene.wasForceQuit && !policy.processingRunsAfterForceQuit
            add(.notInSwitcher, if: isGone)
            add(.notUsedLately, if: !wasUsedLately(now))
            add(.noNetwork, if: requiresNetwork && !isOnline)
            let isCharging = scene.conditions.isOnExternalPower == true
            add(
                .noExternalPower, if: !isCharging && (requiresExternalPower || policy.processingTime == .charging))
            add(.deviceInUse, if: scene.conditions.isIdle != true)
            let waitsForNight = policy.processingTime == .chargingOrNight && !requiresExternalPower
            add(.neitherNightNorCharging, if: waitsForNight && !isCharging && !policy.isNight(now.wall))
            if let next = allowance.nextProcessing(spacing: policy.processingSpacing, now: now.continuous) {
                obstacles.append(.rateLimited(until: now.wall(at: next)))
            }
        case .continued: break
        }
        return obstacles
    }

    /// Returns the obstacles that only refreshes have, from the list of factors that Apple names.
    ///
    /// The caller examines another factor of the list, the user's switch for background refresh.
    private func refreshObstacles(_ entry: JobRequestBook.Entry, now: ClockReading) -> [BackgroundJobObstacle] {
        var obstacles: [BackgroundJobObstacle] = []
        func add(_ obstacle: BackgroundJobObstacle, if isThere: Bool) { if isThere { obstacles.append(obstacle) } }

        add(.notInSwitcher, if: !scene.isInSwitcher)
        add(.lowBattery, if: scene.conditions.batteryLevel.map { $0 <= policy.lowBattery } ?? false)
        add(.lowPowerMode, if: scene.conditions.isLowPowerMode == true)
        add(
            .budgetUsedUp,
            if: allowance.isUsedUp(budget: policy.dailyRefreshBudget, run: policy.refreshLimit, now: now.continuous))
        if let next = allowance.nextRefresh(spacing: policy.refreshSpacing, now: now.continuous) {
            obstacles.append(.rateLimited(until: now.wall(at: next)))
        }
        if !wasUsedLately(now) {
            obstacles.append(.notUsedLately)
        } else if let next = habits.nextUse(within: policy.usageWindow, now: now.wall) {
            let isExpected = now.wall.duration(to: next) <= policy.expectedUseLead
            let hasWaited = entry.due.duration(to: now.wall) >= policy.refreshPatience
            add(.notExpectedSoon(next: next), if: !isExpected && !hasWaited)
        }
        return obstacles
    }

    private var isOnline: Bool {
        switch scene.conditions.network {
        case .available, .constrained: true
        case .some(.none), nil: false
        }
    }

    private func wasUsedLately(_ now: ClockReading) -> Bool {
        scene.isAppInFront || habits.wasUsed(within: policy.usageWindow, now: now.wall)
    }
}

/// The recent runs of the app's background jobs, as a pure value.
///
/// They count for the daily budget and for the spacing of launches.
struct JobAllowance {
    private static let day: UInt64 = 86_400_000_000_000

    /// The part of the budget that refreshes have used and that has not become available again, in nanoseconds.
    private var spent: UInt64 = 0
    private var countedAt = ContinuousInstant(nanoseconds: 0)
    private var lastRefresh: ContinuousInstant?
    private var lastProcessing: ContinuousInstant?

    mutating func refreshLaunched(at now: ContinuousInstant) { lastRefresh = now }
    mutating func processingLaunched(at now: ContinuousInstant) { lastProcessing = now }

    /// Adds the time of a refresh, in nanoseconds.
    mutating func refreshRan(_ duration: UInt64, budget: Duration, now: ContinuousInstant) {
        spent = spent(budget: budget, now: now) + duration
        countedAt = now
    }

    /// Returns whether the rest of the budget is too small for a refresh of the longest permitted time.
    func isUsedUp(budget: Duration, run: Duration, now: ContinuousInstant) -> Bool {
        spent(budget: budget, now: now) + run.nanosecondsFromZero > budget.nanosecondsFromZero
    }

    /// Returns the instant from which the next refresh may be launched; `nil` if it may be launched now.
    func nextRefresh(spacing: Duration, now: ContinuousInstant) -> ContinuousInstant? {
        Self.next(after: lastRefresh, spacing, now)
    }

    /// Returns the instant from which the next processing may be launched; `nil` if it may be launched now.
    func nextProcessing(spacing: Duration, now: ContinuousInstant) -> ContinuousInstant? {
        Self.next(after: lastProcessing, spacing, now)
    }

    private static func next(
        after last: ContinuousInstant?, _ spacing: Duration, _ now: ContinuousInstant
    ) -> ContinuousInstant? {
        guard let next = last?.advanced(by: spacing), next > now else { return nil }
        return next
    }

    private func spent(budget: Duration, now: ContinuousInstant) -> UInt64 {
        let elapsed = now.nanoseconds - countedAt.nanoseconds
        guard elapsed < Self.day else { return 0 }
        // The division cannot overflow, and the quotient is at most the budget, because less than a day has passed.
        let product = elapsed.multipliedFullWidth(by: budget.nanosecondsFromZero)
        let handedOut = Self.day.dividingFullWidth(product).quotient
        return spent > handedOut ? spent - handedOut : 0
    }
}

extension Duration {
    /// The duration in nanoseconds; zero for a negative one.
    var nanosecondsFromZero: UInt64 { UInt64(max(0, wholeNanoseconds)) }
}

/// The times of day at which the user opened the app lately, from which the system predicts the next use: a pure value.
///
/// The times are minutes of the day in UTC, because the simulation has no time zones.
struct UsageHabits {
    private static let minute: UInt64 = 60_000_000_000
    private static let day: UInt64 = 1_440 * minute

    /// The last opening of the app in each minute of the day.
    private var openings: [UInt64: WallInstant] = [:]
    private(set) var lastUse: WallInstant?

    /// Notes that the app has entered the foreground.
    mutating func opened(at now: WallInstant) {
        openings[now.nanoseconds % Self.day / Self.minute] = now
        lastUse = now
    }

    /// Notes that the app was in the foreground until `now`, whether it stays there or leaves it.
    mutating func used(at now: WallInstant) { lastUse = now }

    func wasUsed(within window: Duration, now: WallInstant) -> Bool {
        lastUse.map { $0.duration(to: now) <= window } ?? false
    }

    /// Returns the instant at which the user will next open the app, if the coming day is like the days within
    /// `window`.
    func nextUse(within window: Duration, now: WallInstant) -> WallInstant? {
        let (midnight, sinceMidnight) = (now.nanoseconds / Self.day * Self.day, now.nanoseconds % Self.day)
        return openings.lazy.filter { $0.value.duration(to: now) <= window }.map { minute, _ in
            let time = minute * Self.minute
            return WallInstant(nanoseconds: midnight + time + (time <= sinceMidnight ? Self.day : 0))
        }.min()
    }
}
