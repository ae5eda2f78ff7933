import ApusTimers

/// The rules for the start and the expiration of a run.
extension HostBackgroundJobsMachine {
    /// Returns all obstacles of a pending request; none if it is not pending.
    func obstacles(of identifier: String, at now: HostBackgroundReading) -> [BackgroundJobObstacle] {
        guard let entry = pending.first(where: { $0.request.identifier == identifier }) else { return [] }
        return gates(of: entry.request, entry.gate, at: now)
            + (now.conditions.map { conditionObstacles(of: entry.request.kind, $0) } ?? [])
    }

    /// Returns the obstacles that decide whether a request begins now; `nil` if they depend on conditions that were not
    /// read.
    ///
    /// Conditions are considered only if there is no other obstacle, because observing them has a cost. The caller
    /// therefore reads them only if `needsConditions(_:)` returns true. If a run ends after that call, a request may
    /// lose its last other obstacle although the conditions were not read. The end of the run then causes another
    /// decision.
    func decidingObstacles(
        of entry: PendingBackgroundJob, at now: HostBackgroundReading
    ) -> [BackgroundJobObstacle]? {
        let gates = gates(of: entry.request, entry.gate, at: now)
        guard gates.isEmpty, !entry.request.kind.isContinued else { return gates }
        return now.conditions.map { conditionObstacles(of: entry.request.kind, $0) }
    }

    /// Returns the obstacles that follow from the clocks, the phase and the other runs.
    func gates(
        of request: BackgroundJobRequest, _ gate: PendingBackgroundJob.Gate, at now: HostBackgroundReading
    ) -> [BackgroundJobObstacle] {
        var found: [BackgroundJobObstacle] = []
        if handlers[request.identifier] == nil { found.append(.noHandler) }
        if isRefused || !now.isInForeground { found.append(.appInBackground) }
        switch gate {
        case .wall(let instant) where instant > now.wall: found.append(.notBefore(instant))
        case .continuous(let instant) where instant > now.continuous:
            found.append(.notBefore(now.wall.advanced(by: now.continuous.duration(to: instant))))
        case .open, .wall, .continuous: break
        }
        if case .refresh = request.kind, let until = spacings[request.identifier]?.continuous, until > now.continuous {
            found.append(.rateLimited(until: now.wall.advanced(by: now.continuous.duration(to: until))))
        }
        if isBusy(for: request) { found.append(.busy) }
        return found
    }

    private func isBusy(for request: BackgroundJobRequest) -> Bool {
        if runs.contains(where: { $0.request.identifier == request.identifier }) { return true }
        let limit: Int?
        switch request.kind {
        case .refresh: limit = nil
        case .processing: limit = settings.maximumProcessingRuns
        case .continued: limit = settings.maximumContinuedRuns
        }
        guard let limit else { return false }
        return runs.count { $0.request.kind.isLike(request.kind) } >= max(1, limit)
    }

    private func conditionObstacles(
        of kind: BackgroundJobRequest.Kind, _ conditions: DeviceConditions
    ) -> [BackgroundJobObstacle] {
        var found: [BackgroundJobObstacle] = []
        switch kind {
        case .refresh:
            if let level = conditions.batteryLevel, level <= settings.lowBatteryLevel,
                conditions.isOnExternalPower != true
            {
                found.append(.lowBattery)
            }
            if conditions.isLowPowerMode == true { found.append(.lowPowerMode) }
        case .processing(let requiresNetwork, let requiresExternalPower):
            let unknown = settings.unknownCountsAsMet
            if requiresNetwork, !(conditions.isOnline ?? unknown) { found.append(.noNetwork) }
            if requiresExternalPower, !(conditions.isOnExternalPower ?? unknown) { found.append(.noExternalPower) }
            if !(conditions.isIdle ?? unknown) { found.append(.deviceInUse) }
        case .continued: break
        }
        return found
    }

    /// Returns whether conditions can end the run.
    ///
    /// Only a processing job ends when its conditions no longer hold, unless a simulated launch began it regardless of
    /// them.
    func dependsOnConditions(_ entry: HostBackgroundRunEntry) -> Bool {
        guard case .processing = entry.request.kind else { return false }
        return !entry.isExpiring && !entry.isSimulated
    }

    /// Returns the cause for which the run must expire now, if any.
    func expiry(of entry: HostBackgroundRunEntry, at now: HostBackgroundReading) -> Cause? {
        if let deadline = entry.deadline, deadline <= now.uptime { return .timeLimit }
        switch entry.request.kind {
        case .refresh: return nil
        case .processing:
            guard dependsOnConditions(entry), let conditions = now.conditions else { return nil }
            return conditionObstacles(of: entry.request.kind, conditions).first.map(Cause.conditions)
        case .continued:
            let timeout = max(.zero, settings.progressTimeout)
            return entry.lastProgress.advanced(by: timeout) <= now.uptime ? .noProgress : nil
        }
    }
}

extension HostBackgroundJobsMachine.Cause: CustomStringConvertible {
    var description: String {
        switch self {
        case .timeLimit: "its time is over"
        case .noProgress: "it makes no progress"
        case .conditions(let obstacle): obstacle.description
        }
    }
}

extension BackgroundJobRequest.Kind {
    var isContinued: Bool { if case .continued = self { true } else { false } }

    /// Returns whether `other` is of the same kind, regardless of the requirements.
    func isLike(_ other: Self) -> Bool {
        switch (self, other) {
        case (.refresh, .refresh), (.processing, .processing), (.continued, .continued): true
        case (.refresh, _), (.processing, _), (.continued, _): false
        }
    }

    var word: String {
        switch self {
        case .refresh: "refresh"
        case .processing: "processing"
        case .continued: "continued"
        }
    }
}

extension [BackgroundJobObstacle] {
    var words: String { map(\.description).joined(separator: ", ") }
}
