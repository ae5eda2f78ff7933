public import ApusBackground
public import ApusTimers
import ApusVirtualTime

/// The controls of the device; each is logged, and returns when all its immediate effects have run.
extension SimulatedDevice {
    func control(_ name: String) { log(.user, .control(name)) }

    /// Logs a control and executes it; no time passes unless the app computes.
    func perform(_ name: String, _ body: () -> Void) {
        control(name)
        body()
        time.settle()
    }

    // MARK: The app

    /// The user taps the icon of an app that does not run.
    ///
    /// If the app already runs, the control only logs a warning.
    public func launch() {
        perform("launch") {
            guard !hasLaunched else {
                return log(.system, .warning("the app is already running; call open() to bring it to the front"))
            }
            comeToFront()
        }
    }

    /// The user taps the icon, or the app's picture in the switcher: the app is launched, or comes to the foreground.
    ///
    /// A locked device is unlocked first.
    public func open() { perform("open") { comeToFront() } }

    /// The user goes to the home screen.
    public func pressHome() {
        perform("press home") {
            guard !isLocked else { return }
            touch()
            screen = .home
            leaveForeground()
        }
    }

    /// The user opens the app switcher; an app in front becomes inactive.
    public func openAppSwitcher() {
        perform("open app switcher") {
            guard !isLocked else { return }
            touch()
            screen = .switcher
            interrupt()
        }
    }

    /// The user removes the app from the switcher (force quit).
    ///
    /// A running process is notified, and has ``SystemPolicy/willTerminateTime``; a suspended one is not notified.
    /// Afterwards only the user can start the app, with three exceptions that depend on the policy: processing
    /// (``SystemPolicy/Jobs/processingRunsAfterForceQuit``), significant changes of the location
    /// (``SystemPolicy/locationLaunchesAfterForceQuit``), and App Intents
    /// (``SystemPolicy/Intents/launchesAfterForceQuit``).
    public func swipeAway() {
        perform("swipe away") {
            if isLocked { unlockScreen() }
            touch()
            screen = .home
            leaveForeground()
            // The app does its work for the background before it is ended.
            time.settle()
            let action = life.forceQuit()
            notifyParts { if action != .nothing { $0.appForceQuit() } }
            switch action {
            case .nothing: log(.system, .warning("the app is not in the switcher, so it cannot be swiped away"))
            case .removed: break
            case .endSilently: runningHost?.end("force quit while suspended")
            case .endWithNotice: if let runningHost { endWithNotice(runningHost, "force quit") }
            }
        }
    }

    /// The process ends immediately and without notice.
    ///
    /// Without a code, the process crashes. With a code, the system ends the process for the reason that the code
    /// stands for.
    public func kill(_ code: TerminationCode? = nil) {
        perform("kill") { runningHost?.end(code.map(\.description) ?? "crash") }
    }

    // MARK: The screen

    /// The user locks the screen, or it locks after a time without touches; an app in front goes to the background.
    public func lock() {
        perform("lock") { lockScreen() }
    }

    func lockScreen() {
        isLocked = true
        change { $0.isIdle = true }
        leaveForeground()
        beginDataProtection()
    }

    /// The user unlocks the screen; an app that was in front comes back.
    public func unlock() {
        perform("unlock") {
            unlockScreen()
            if screen == .app { activate() }
        }
    }

    /// A call comes in and is answered; an app in front becomes inactive.
    ///
    /// During a call, another call is rejected.
    public func receiveCall() {
        perform("receive call") {
            guard !isInCall else { return }
            isInCall = true
            for part in parts.all { part.callChanged(isActive: true) }
            interrupt()
        }
    }

    /// The call ends; an app that it covered becomes active again.
    public func endCall() {
        perform("end call") {
            guard isInCall else { return }
            isInCall = false
            touch()
            for part in parts.all { part.callChanged(isActive: false) }
            if screen == .app, life.state == .inactive { activate() }
        }
    }

    /// The user scrolls in the app while `duration` passes.
    ///
    /// Main-loop work of the `default` mode waits until the end of the scrolling.
    public func scroll(for duration: Duration) {
        control("scroll for \(duration)")
        setScrolling(true)
        time.advance(by: duration)
        setScrolling(false)
        time.settle()
    }

    /// The user begins to scroll in the app, if it is active; main-loop work of the `default` mode waits from now on.
    ///
    /// Scrolling ends with ``endScrolling()``, or when the app enters the background.
    public func beginScrolling() { perform("begin scrolling") { setScrolling(true) } }

    /// The user stops scrolling, and the work that waited runs.
    public func endScrolling() { perform("end scrolling") { setScrolling(false) } }

    private func setScrolling(_ isScrolling: Bool) {
        touch()
        guard let host = runningHost, !isScrolling || life.state == .active else { return }
        host.process.mainLoop.isTracking = isScrolling
    }

    // MARK: Pushes

    /// A silent push (`content-available`) arrives for the app; the system decides whether the app handles it now,
    /// later or never.
    ///
    /// The app must have registered for remote notifications. An app in the foreground receives the push at once.
    /// Otherwise the app must declare the mode `remote-notification`, and is started or resumed for the push, unless
    /// background refresh is off, the battery is low, the low-power mode is on, ``SystemPolicy/pushesPerHour`` are used
    /// up, the app is being ended, or the user has not unlocked the device since it was started. In these cases the
    /// push is held, and only the newest one is kept. A held push is lost when the app is ended, and every push is lost
    /// after a force quit.
    ///
    /// Apple, documentation/usernotifications/pushing-background-updates-to-your-app
    ///
    /// - Parameter fields: The values that the server has added to the payload, beside `aps`.
    public func receivePush(_ fields: [String: String] = [:]) {
        perform("receive push") { pushes.receive(fields) }
    }

    // MARK: The device

    /// Sets the charge of the battery, from 0 to 1; other values are clamped.
    public func setBattery(_ level: Double) {
        let level = level.isNaN ? 0 : min(1, max(0, level))
        perform("battery \(level)") { change { $0.batteryLevel = level } }
    }

    /// The user plugs the charger in.
    public func plugIn() { perform("plug in") { change { $0.isOnExternalPower = true } } }

    /// The user unplugs the charger.
    public func unplug() { perform("unplug") { change { $0.isOnExternalPower = false } } }

    /// The user switches the low-power mode on or off.
    public func setLowPowerMode(_ isOn: Bool) {
        perform("low-power mode \(isOn ? "on" : "off")") {
            let wasOn = conditions.isLowPowerMode == true
            change { $0.isLowPowerMode = isOn }
            if wasOn != isOn { notifyRunningApp(of: .backgroundRefreshChanged) }
        }
    }

    /// Changes the network.
    public func setNetwork(_ network: DeviceConditions.Network) {
        perform("network \(network.rawValue)") { change { $0.network = network } }
    }

    /// The user switches background refresh on or off in the settings.
    ///
    /// While it is off, requests for refresh and processing are refused, and pending ones wait.
    public func setBackgroundRefresh(_ isOn: Bool) {
        perform("background refresh \(isOn ? "on" : "off")") {
            let wasOn = isBackgroundRefreshOn
            isBackgroundRefreshOn = isOn
            notifyParts()
            if wasOn != isOn { notifyRunningApp(of: .backgroundRefreshChanged) }
        }
    }

    /// Sets how warm the device is.
    public func setThermalState(_ state: DeviceConditions.ThermalState) {
        perform("thermal state \(state.rawValue)") { change { $0.thermalState = state } }
    }

    /// Other apps need memory: a suspended process is ended without notice, and a running process gets a warning.
    ///
    /// - Parameter isSevere: Whether a process that runs in the background is also ended without notice, despite its
    ///   background tasks and jobs (Apple, "Identifying high-memory use with jetsam event reports": the app in front
    ///   comes last).
    public func applyMemoryPressure(isSevere: Bool = false) {
        perform(isSevere ? "severe memory pressure" : "memory pressure") {
            guard let runningHost else { return }
            switch life.state {
            case .suspended, .prewarmed: runningHost.end("purged from memory while suspended")
            case .background where isSevere, .leaving where isSevere:
                runningHost.end("purged from memory in the background")
            case .notRunning, .launching, .active, .inactive, .leaving, .background, .ending:
                log(.system, .warning("memory is low"))
                notifyApp(of: .memoryWarning)
            }
        }
    }

    /// The system takes away the interface of an app in the background, to use its resources.
    ///
    /// With UIKit, the app's scene is disconnected, and another one is connected when the user returns (Apple,
    /// "Managing your app's life cycle": this happens at any time to a scene that is in the background or suspended).
    /// The process stays; a suspended one is notified when it runs again. For an app in front, or without a process,
    /// the control only logs a warning.
    public func disconnectScene() {
        perform("disconnect scene") {
            switch life.state {
            case .leaving, .background, .suspended: notifyApp(of: .sceneDisconnected)
            case .notRunning, .prewarmed, .launching, .active, .inactive, .ending:
                log(.system, .warning("the scene is not disconnected, because the app is not in the background"))
            }
        }
    }

    /// The device sleeps for a duration, whatever the app was doing.
    ///
    /// Nothing runs and uptime stops, while the continuous clock and the wall clock count.
    public func sleepMachine(for duration: Duration) {
        control("sleep for \(duration)")
        time.sleepMachine(for: duration)
    }

    /// Sets the wall clock without moving the other clocks.
    public func setWallClock(_ instant: WallInstant) {
        control("set wall clock")
        time.setWallClock(instant)
        notifyWallClockSet()
    }

    /// Moves the wall clock forward, or back if the duration is negative.
    public func moveWallClock(by duration: Duration) {
        control("move wall clock by \(duration)")
        time.moveWallClock(by: duration)
        notifyWallClockSet()
    }

    /// The device restarts: the process ends without notice, ``SystemPolicy/rebootTime`` passes, and uptime begins
    /// again from zero.
    ///
    /// Afterwards the device is locked.
    public func reboot() {
        control("reboot")
        notifyParts { $0.deviceRebooting() }
        runningHost?.end("reboot")
        time.settle()
        time.pass(UInt64(max(0, policy.rebootTime.wholeNanoseconds)))
        boot = BootReading(uptime: time.uptime().nanoseconds, continuous: time.continuous().nanoseconds)
        bootNumber += 1
        deviceLog.restartUptime()
        if isInCall { for part in parts.all { part.callChanged(isActive: false) } }
        (isLocked, wasUnlockedSinceBoot, isInCall, screen) = (true, false, false, .home)
        change { $0.isIdle = true }
        closeProtectedData()
        notifyParts { $0.deviceRebooted() }
        time.settle()
    }

    // MARK: Background jobs

    /// The debugger starts the run of a pending request, regardless of the rules
    /// (`_simulateLaunchForTaskWithIdentifier:`).
    ///
    /// Without such a request, the control only logs a warning.
    public func launchJob(_ identifier: String) {
        jobs.makeDue(identifier)
        time.settle()
    }

    /// The debugger makes a run expire (`_simulateExpirationForTaskWithIdentifier:`).
    ///
    /// Without a run, the control only logs a warning.
    public func expireJob(_ identifier: String) {
        jobs.expire(identifier)
        time.settle()
    }

    /// The user cancels continued work, as with the button of its Live Activity: a run expires, and a pending request
    /// is withdrawn.
    public func cancelJob(_ identifier: String) {
        jobs.cancelByUser(identifier)
        time.settle()
    }

    // MARK: Time

    /// Lets `duration` pass: everything that becomes due meanwhile runs at its instant.
    ///
    /// More time passes only if the app is computing (``SimulatedHost/work(for:)``) at the end.
    public func advance(by duration: Duration) { time.advance(by: duration) }

    /// Lets time pass until the wall clock shows `instant`; returns immediately if it has passed.
    public func advance(until instant: WallInstant) { advance(by: time.wall().duration(to: instant)) }

    /// Lets `duration` pass like the synchronous form, for apps that use `Task { @MainActor in … }`.
    ///
    /// At each step, work in the main actor's own queue runs too. The result is deterministic if no chain of tasks,
    /// each of which starts the next one on the main actor, is as long as ``mainActorPasses``, and if no task in a
    /// chain leaves the main actor. A task that leaves it, for example with `Task.yield()`, also runs, but how often it
    /// runs before a given instant depends on the machine. Tasks of the main actor do not belong to the process: they
    /// run even if it is suspended or has ended. The other controls do not wait for them; after another control, use
    /// `await device.advance(by: .zero)`, which lets no time pass.
    public func advance(by duration: Duration) async {
        let target = time.uptime().advanced(by: max(.zero, duration))
        repeat { await settle() } while !time.step(towards: target)
        await settle()
    }

    /// Lets at most `limit` pass until the ``log`` has a new event, and executes nothing that is due later.
    ///
    /// The function yields the main actor now and then, so that a program can respond meanwhile.
    ///
    /// - Returns: The first new event; `nil` if there was none, and then exactly `limit` has passed.
    @discardableResult
    public func skipToNextEvent(within limit: Duration = .seconds(86_400)) async -> DeviceEvent? {
        time.settle()
        let known = deviceLog.count
        let target = time.uptime().advanced(by: max(.zero, limit))
        var steps = 0
        while deviceLog.count == known {
            // The step that reaches the target has already run the work that is due at the target.
            if time.step(towards: target) { break }
            time.settle()
            steps += 1
            if steps.isMultiple(of: Self.stepsBetweenPauses) { await Task.yield() }
        }
        return deviceLog.event(known)
    }

    /// The number of deadlines after which the main actor is yielded.
    private static var stepsBetweenPauses: Int { 200 }

    /// The number of hops through the main actor's queue for which ``advance(by:)-6pb81`` waits at each step.
    public static var mainActorPasses: Int { 8 }

    /// Runs what can run at this instant, in the process and in the main actor's queue.
    func settle() async {
        repeat {
            time.settle()
            for _ in 0..<Self.mainActorPasses { await passMainActor() }
        } while time.isRunnable
    }

    // MARK: Private

    /// Runs the work that is in the main actor's queue, which is first in, first out.
    ///
    /// `Task.yield()` would not do this: in optimized code, several consecutive yields return to the main actor only
    /// after the last one.
    private func passMainActor() async {
        await withUnsafeContinuation { continuation in Task { @MainActor in continuation.resume() } }
    }

    func comeToFront() {
        if isLocked { unlockScreen() } else { touch() }
        guard installation != nil else { return fault(Fault(.noApp, "no app is installed; install one first")) }
        screen = .app
        if hasLaunched { activate() } else { start(toForeground: true, .user) }
    }

    private func unlockScreen() {
        isLocked = false
        wasUnlockedSinceBoot = true
        touch()
        endDataProtection()
        change { $0.isIdle = false }
    }

    func activate() {
        guard let host = runningHost else { return }
        let phases = life.activate()
        guard !phases.isEmpty else { return }
        timers.cancelAll()
        resume(host)
        walk(phases, of: host) { _ in }
    }

    private func interrupt() {
        if let host = runningHost { walk(life.interrupt(), of: host) { _ in } }
    }

    private func leaveForeground() {
        guard let host = runningHost else { return }
        let phases = life.leaveForeground()
        guard !phases.isEmpty else { return }
        walk(phases, of: host) { device in device.settle(host) }
    }

    private func notifyWallClockSet() {
        notifyApp(of: .wallClockSet)
        time.settle()
    }

    private func change(_ body: (inout DeviceConditions) -> Void) {
        body(&conditions)
        // A suspended process is notified of the change when it runs again.
        if let runningHost, runningHost.process.isRunning { runningHost.changes.conditions.set(conditions) }
        notifyParts()
    }
}
