import ApusBackground
import ApusTimers
import ApusVirtualTime

/// The system's timers for the running process.
struct SystemTimers {
    var suspension: ScheduledTimer?
    var expiry: ScheduledTimer?
    var zero: ScheduledTimer?

    mutating func cancelAll() {
        suspension.take()?.cancel()
        expiry.take()?.cancel()
        zero.take()?.cancel()
    }
}

/// The actions with which the system starts the app's process, changes its phase, suspends it and ends it.
extension SimulatedDevice {
    // MARK: For the parts

    /// The engine whose timers run even if the app does not.
    var systemEngine: TimerEngine { time.engine }

    func log(_ actor: DeviceEvent.Actor, _ what: DeviceEvent.What) { deviceLog.add(actor, what) }
    package func fault(_ fault: Fault) { deviceLog.add(.system, .fault(fault)) }

    /// Starts the app in the background, or resumes a suspended one there, because the system has an event for it.
    ///
    /// It returns false if that is not allowed: no app is installed; the user has force-quit the app, and
    /// `despiteForceQuit` is false; the device was not unlocked since its start, and the event is not a significant
    /// change of the location; or the process is being notified of its end. The app's code runs at the next step of
    /// time, so a timer of the system may call this.
    @discardableResult
    func wakeInBackground(_ why: LaunchCause, despiteForceQuit: Bool = false) -> Bool {
        // A significant change of the location starts the app before the first unlock too:
        // github.com/lionheart/openradar-mirror/issues/12487.
        guard installation != nil, wasUnlockedSinceBoot || why == .location, life.state != .ending else { return false }
        if let host = runningHost, hasLaunched {
            guard life.state == .suspended else { return true }
            let phases = life.resumeInBackground()
            resume(host)
            walk(phases, of: host) { device in device.settle(host) }
            return true
        }
        return start(toForeground: false, despiteForceQuit: despiteForceQuit, why)
    }

    // MARK: Processes

    /// Starts the app's process, or launches the prewarmed one; returns false if the life cycle does not allow it.
    @discardableResult
    func start(toForeground: Bool, despiteForceQuit: Bool = false, _ why: LaunchCause) -> Bool {
        guard let installation else {
            fault(Fault(.noApp, "no app is installed; install one first"))
            return false
        }
        let usesScenes = installation.manifest.usesScenes
        guard
            case .start(let phase) = life.launch(
                toForeground: toForeground, usesScenes: usesScenes, despiteForceQuit: despiteForceQuit)
        else { return false }
        let host: SimulatedHost
        if let prewarmed = runningHost {
            host = prewarmed
            wakePrewarmed(host, phase: phase, toForeground: toForeground, why)
        } else {
            host = makeHost(installation.manifest, phase: phase, toForeground: toForeground, why)
            log(.system, .launched(why.description))
            notifyParts { $0.appLaunched(toForeground: toForeground) }
        }
        host.process.mainLoop.run { [weak self] in
            host.beginWatch(host.policy.launchLimit, .slowLaunch, "the app did not finish launching")
            let app: AnyObject
            do {
                app = try installation.make(host)
            } catch {
                host.fault(Fault(.crashAtLaunch, "the app could not be created: \(error)"))
                return host.end("crash at launch")
            }
            guard let self, !host.process.isEnded else { return }
            host.endWatch()
            runningApp = app
            notifyParts { $0.appFinishedLaunching() }
            walk(life.finishLaunch(usesScenes: usesScenes), of: host) { device in device.settle(host) }
        }
        return true
    }

    /// Creates a process, and returns its host.
    func makeHost(
        _ manifest: AppManifest, phase: Phase, toForeground: Bool, _ cause: LaunchCause
    ) -> SimulatedHost {
        let time = time
        launchCount += 1
        let host = SimulatedHost(
            on: time, process: time.startProcess(boot: boot), bootID: "boot-\(bootNumber)", records: storage,
            manifest: manifest, policy: policy, log: deviceLog, phase: phase, isInForeground: toForeground,
            conditions: conditions, parts: parts, launch: launchCount, launchCause: cause, deviceNumber: number,
            lastBackgroundTaskNumber: lastBackgroundTaskNumber
        ) { [weak time, weak self] in
            // The caller may be on another thread; the timer runs the review on the device's thread.
            time?.engine.schedule(after: .zero) { MainActor.assumeIsolated { self?.review() } }
        }
        runningHost = host
        parts.host = host
        return host
    }

    /// Enters the phases one after another, and then calls `done`.
    ///
    /// Each phase is entered after the app has done its work for the previous one.
    func walk(
        _ phases: [Phase], of host: SimulatedHost, then done: @escaping @MainActor @Sendable (SimulatedDevice) -> Void
    ) {
        guard let phase = phases.first else {
            done(self)
            return askWaitingQuestions()
        }
        enter(phase, of: host)
        host.process.mainLoop.run { [weak self] in
            host.endWatch()
            self?.walk(Array(phases.dropFirst()), of: host, then: done)
        }
    }

    private func enter(_ phase: Phase, of host: SimulatedHost) {
        let now = host.now
        switch phase {
        case .active, .inactive:
            host.state.withLock { $0.backgroundTasks.enterForeground(now: now) }
            host.beginWatch(
                host.policy.sceneUpdateLimit, .slowSceneUpdate,
                "the app did not finish its work on becoming \(phase.rawValue)")
        case .background:
            host.process.mainLoop.isTracking = false
            host.state.withLock { $0.backgroundTasks.enterBackground(now: now) }
            host.beginWatch(
                host.policy.enterBackgroundLimit, .slowBackgroundEntry,
                "the app did not finish its work on entering the background")
        case .suspended:
            host.state.withLock { $0.backgroundTasks.suspend(now: now) }
        case .terminated:
            host.beginWatch(
                host.policy.willTerminateTime, .slowTermination, "the terminating app did not finish its work")
        }
        log(.system, .phase(phase))
        let wasSuspended = host.phase == .suspended
        if phase == .terminated { host.changes.phases.finish(phase) } else { host.changes.phases.announce(phase) }
        notifyParts { part in
            guard phase != .suspended else { return part.appSuspended() }
            if wasSuspended { part.appResumed() }
            part.appEntered(phase)
        }
        onPhase?(phase)
        review()
    }

    /// Notes that the process has reached the state that it was entering.
    func settle(_ host: SimulatedHost) {
        life.settle()
        review()
        if !host.process.isEnded { notifyParts { $0.appSettled() } }
    }

    func resume(_ host: SimulatedHost) {
        host.process.resume()
        host.changes.conditions.set(conditions)
    }

    /// Notifies the process of its end, and ends the process when its last work is done.
    func endWithNotice(_ host: SimulatedHost, _ why: String) {
        life.beginEnding()
        walk([.terminated], of: host) { _ in host.end(why) }
    }

    // MARK: Reviewing

    /// Compares what the process does with what it is allowed to do, and schedules the system's next actions.
    func review() {
        guard let host = runningHost else { return }
        host.beginReview()
        if host.process.isEnded { return collect(host) }
        guard life.state == .background || life.state == .leaving else { return timers.cancelAll() }
        let now = host.now
        let (keepsRunning, expiry, zero) = host.state.withLock { state in
            (
                state.backgroundTasks.keepsRunning, state.backgroundTasks.expiry(now: now),
                state.backgroundTasks.zero(now: now)
            )
        }
        timers.expiry.take()?.cancel()
        timers.zero.take()?.cancel()
        if let expiry {
            timers.expiry = onUptime(expiry) { _ in host.process.mainLoop.run { host.callExpirationHandlers() } }
        }
        if let zero { timers.zero = onUptime(zero) { _ in host.endIfOverdue() } }
        if keepsRunning || life.state == .leaving {
            timers.suspension.take()?.cancel()
        } else if timers.suspension == nil {
            timers.suspension = onUptime(now + suspensionDelay(of: host)) { $0.suspend() }
        }
    }

    private func onUptime(
        _ instant: UInt64, _ action: @escaping @MainActor @Sendable (SimulatedDevice) -> Void
    ) -> ScheduledTimer {
        systemEngine.schedule(at: UptimeInstant(nanoseconds: instant)) { [weak self] in
            MainActor.assumeIsolated { if let self { action(self) } }
        }
    }

    private func suspensionDelay(of host: SimulatedHost) -> UInt64 {
        let range = host.policy.suspensionDelay
        let lower = UInt64(max(0, range.lowerBound.wholeNanoseconds))
        let upper = UInt64(max(0, range.upperBound.wholeNanoseconds))
        return lower + random.next() % (upper - lower + 1)
    }

    private func suspend() {
        timers.suspension = nil
        guard let host = runningHost, !host.process.isEnded else { return }
        // A background task may have begun at this instant.
        guard !host.state.withLock({ $0.backgroundTasks.keepsRunning }) else { return review() }
        let locked = host.policy.endsAppForFileLocks ? host.process.lockedFiles : []
        if !locked.isEmpty {
            let files = locked.joined(separator: ", ")
            host.fault(
                Fault(
                    .fileLockHeld,
                    "the app holds a lock on \(files) when it is about to be suspended; begin a background task before "
                        + "locking, and unlock before ending the task"))
            return host.end("\(TerminationCode.fileLock): \(files)")
        }
        guard life.suspend() else { return review() }
        host.process.stop()
        enter(.suspended, of: host)
    }

    /// Clears the state of an ended process, and notifies the parts of its end.
    private func collect(_ host: SimulatedHost) {
        timers.cancelAll()
        life.end()
        lastBackgroundTaskNumber = host.lastBackgroundTaskNumber
        remains.append(Remains(app: runningApp, process: host.process))
        runningHost = nil
        runningApp = nil
        questions = SystemQuestions()
        if screen == .app { screen = .home }
        notifyParts { $0.processEnded() }
        parts.host = nil
    }

    /// Ends the running process without a fault and without notice.
    func switchOff() {
        runningHost?.end("the device was switched off")
        time.settle()
    }
}

/// Prewarming: a process is started before it is needed.
extension SimulatedDevice {
    /// The system expects the user to open the app soon, and starts its process.
    ///
    /// The process runs up to its launch, and stops there until the user opens the app or the system has an event for
    /// it. An app that is installed as a program runs until `SimulatedPhone.run` or the `main()` of an `App`, with
    /// `ActivePrewarm=1` in its environment; a program that calls neither runs completely. For an app in the test's
    /// process, no code runs before the launch. Prewarming is also possible before the first unlock, when protected
    /// files are closed (``isProtectedDataAvailable``). An app that has a process is not prewarmed, which is logged as
    /// a warning.
    ///
    /// Apple, documentation/uikit/about-the-app-launch-sequence; the variable:
    /// github.com/firebase/firebase-ios-sdk/pull/9362.
    public func prewarm() {
        perform("prewarm") {
            guard let installation else { return fault(Fault(.noApp, "no app is installed; install one first")) }
            guard life.prewarm() else {
                return log(.system, .warning("the app already has a process, so it is not prewarmed"))
            }
            let host = makeHost(installation.manifest, phase: .suspended, toForeground: false, .prewarming)
            log(.system, .launched(LaunchCause.prewarming.description))
            notifyParts { $0.appLaunched(toForeground: false) }
            host.process.mainLoop.run {
                do {
                    try installation.prewarm?(host)
                } catch {
                    host.fault(Fault(.crashAtLaunch, "the process could not be prewarmed: \(error)"))
                    return host.end("crash at launch")
                }
                // The process is stopped here. Its code continues only after the launch.
                host.process.stop()
            }
        }
    }

    /// Whether there is a process that has been launched, not only prewarmed.
    var hasLaunched: Bool { runningHost != nil && life.state != .prewarmed }

    func wakePrewarmed(_ host: SimulatedHost, phase: Phase, toForeground: Bool, _ cause: LaunchCause) {
        log(.system, .launched("\(cause), prewarmed"))
        host.beginLaunch(phase, isInForeground: toForeground, cause)
        resume(host)
        notifyParts { $0.appLaunched(toForeground: toForeground) }
    }
}

extension SimulatedHost {
    /// Begins the launch of a prewarmed process.
    func beginLaunch(_ phase: Phase, isInForeground: Bool, _ cause: LaunchCause) {
        let now = now
        state.withLock { state in
            state.launchCause = cause
            if isInForeground { state.backgroundTasks.enterForeground(now: now) }
        }
        changes.phases.set(phase)
    }
}
