import ApusBackground
import ApusTimers

/// Which rule looks at what: the table of WWDC20 10063. Battery, low-power mode and the budget stop only a refresh.
extension TaskSchedulerMachine {
    /// Why a request does not run now, in a fixed order.
    func obstacles(to entry: JobRequestBook.Entry, now: DeviceMoment) -> [BackgroundJobObstacle] {
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

    /// The factors that Apple names, but for the user's switch.
    private func refreshObstacles(_ entry: JobRequestBook.Entry, now: DeviceMoment) -> [BackgroundJobObstacle] {
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

    private func wasUsedLately(_ now: DeviceMoment) -> Bool {
        scene.isAppInFront || habits.wasUsed(within: policy.usageWindow, now: now.wall)
    }
}
