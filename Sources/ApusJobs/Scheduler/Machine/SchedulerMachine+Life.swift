import ApusTimers

/// The clocks, stopping, and the loss of the store.
extension SchedulerMachine {
    // MARK: The wall clock

    /// Notices that the wall clock was set. A step of less than a second is network time's slewing or stepping, and moves
    /// no job.
    mutating func noteClock(_ now: ClockReading) {
        let step = now.wallOffset - clock.wallOffset
        guard step >= .seconds(1) || step <= .seconds(-1) else { return }
        clock.wallOffset = now.wallOffset
        // Schedulers that share a store have no other axis of elapsed time than the store's clock.
        let moved = session.isShared ? Duration.zero : step
        clock.elapsedOffset += moved
        isClockChanged = true
        clockSteps.append(step)
        for key in entries.keys.sorted() {
            if moved != .zero { entries[key]!.machine.clockWasSet(by: moved) }
            entries[key]!.armed = nil
            place(key, now.wall)
            markDirty(key)
        }
        if step < .zero {
            begin(WallClockSweep(setBack: .zero - step))
        }
        loadSoon(now.wall)
    }

    mutating func clockIsCommitted() {
        isClockChanged = false
        for step in clockSteps {
            effect(.log(.clockSet(by: step)))
            effect(.emit(.clockChanged(by: step)))
        }
        clockSteps = []
    }

    // MARK: Stopping

    mutating func stop(_ number: Int, grace: Duration?, _ now: ClockReading) {
        switch phase {
        case .stopped: return answer(number, .success(.done))
        case .closing: return stopCalls.append(number)
        case .stopping(var stopping):
            stopCalls.append(number)
            if let grace, !stopping.handlersAreCancelled {
                let deadline = now.uptime.advanced(by: grace)
                stopping.deadline = min(stopping.deadline ?? deadline, deadline)
                phase = .stopping(stopping)
            }
            return
        case .recovering:
            stopCalls.append(number)
            return close(nil)
        case .running: stopCalls.append(number)
        }
        phase = .stopping(Stopping(deadline: grace.map { now.uptime.advanced(by: $0) }))
        refuseCommands(Self.closed)
        held = []
        if isFollowing {
            isFollowing = false
            effect(.followConditions(false))
        }
        // Other schedulers take over the jobs that are idle here.
        if session.isShared { share(0, now.wall) }
        // What could not be written yet is tried once more now, and then as usual.
        retryAt = nil
    }

    mutating func moveOnStopping(_ now: ClockReading) {
        guard case .stopping(var stopping) = phase else { return }
        let unwritten = entries.values.reduce(0) { $0 + $1.ends.count }
        if running.isEmpty, unwritten == 0 || stopping.failures >= 3 { return end(unwritten) }
        guard let deadline = stopping.deadline, deadline <= now.uptime else { return }
        guard !stopping.handlersAreCancelled else {
            if !running.isEmpty { effect(.log(.handlersStillRun(running.count))) }
            return end(unwritten)
        }
        for run in running.keys { effect(.cancel(run, .shutdown)) }
        stopping.handlersAreCancelled = true
        stopping.deadline = now.uptime.advanced(by: configuration.cancellationGrace)
        phase = .stopping(stopping)
    }

    private mutating func end(_ unwritten: Int) {
        if unwritten > 0 { effect(.log(.unwritten(unwritten))) }
        close(nil)
    }

    mutating func close(_ error: JobError?) {
        phase = .closing(error)
        refuseCommands(error ?? Self.closed)
        for key in Array(entries.keys) { unload(key) }
        dirty = []
        load = nil
    }

    private mutating func refuseCommands(_ error: JobError) {
        for command in commands { fail(command, error) }
        for call in calls.keys.sorted() { answer(call, .failure(error)) }
        calls = [:]
        failTakeCalls(error)
        commands = []
    }

    /// The store has another owner: nothing may be written, so nothing may run.
    mutating func halt(_ error: JobError) {
        switch phase {
        case .closing, .stopped: return
        case .recovering, .running, .stopping: break
        }
        for run in running.keys { effect(.cancel(run, .shutdown)) }
        effect(.log(.lostOwnership(error)))
        close(error)
    }

    /// The store is closed.
    package mutating func closed() {
        guard case .closing(let error) = phase else { return }
        phase = .stopped
        for number in stopCalls { answer(number, .success(.done)) }
        stopCalls = []
        effect(.stopped(error))
    }
}
