public import ApusBackground
public import ApusTimers
import ApusVirtualTime

/// The controls of the device. Each is logged, and returns when everything that follows from it at once has run.
extension SimulatedDevice {
    func control(_ name: String) { log(.user, .control(name)) }

    /// A control that lets no time pass by itself.
    func perform(_ name: String, _ body: () -> Void) {
        control(name)
        body()
        time.settle()
    }

    // MARK: The app

    /// The user taps the icon of an app that does not run. If it runs, nothing happens but a warning.
    public func launch() {
        perform("launch") {
            guard !hasLaunched else { return log(.system, .warning("the app runs already; use open()")) }
            comeToFront()
        }
    }

    /// The user taps the icon, or the app's picture in the switcher: it is launched, or comes back. A locked device is
    /// unlocked first.
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

    /// The user removes the app from the switcher (force quit). A process that runs is notified and has
    /// ``SystemPolicy/willTerminateTime``; a suspended one is not notified. Afterwards only the user starts the app.
    public func swipeAway() {
        perform("swipe away") {
            if isLocked { unlockScreen() }
            touch()
            screen = .home
            leaveForeground()
            // What the app does on its way to the background comes before its end.
            time.settle()
            let action = life.forceQuit()
            notifyParts { if action != .nothing { $0.appForceQuit() } }
            switch action {
            case .nothing: log(.system, .warning("the app is not in the switcher"))
            case .removed: break
            case .endSilently: runningHost?.end("force quit while suspended")
            case .endWithNotice: if let runningHost { endWithNotice(runningHost, "force quit") }
            }
        }
    }

    /// The process ends there and then, without a word to it: a crash, or the system for the reason of that code.
    public func kill(_ code: TerminationCode? = nil) {
        perform("kill") { runningHost?.end(code.map(\.description) ?? "crash") }
    }

    // MARK: The screen

    /// The user, or the time without a touch, locks the screen; an app in front goes to the background.
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

    /// A call comes in and is taken; an app in front becomes inactive. During a call, another one is turned away.
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

    /// The user scrolls in the app for that long: main-loop work of the `default` mode waits meanwhile. Time passes.
    public func scroll(for duration: Duration) {
        control("scroll for \(duration)")
        setScrolling(true)
        time.advance(by: duration)
        setScrolling(false)
        time.settle()
    }

    /// The user begins to scroll in the app, if it is active: from now on main-loop work of the `default` mode waits.
    /// It ends with ``endScrolling()``, or when the app enters the background.
    public func beginScrolling() { perform("begin scrolling") { setScrolling(true) } }

    /// The user releases it; what waited runs.
    public func endScrolling() { perform("end scrolling") { setScrolling(false) } }

    private func setScrolling(_ isScrolling: Bool) {
        touch()
        guard let host = runningHost, !isScrolling || life.state == .active else { return }
        host.process.mainLoop.isTracking = isScrolling
    }

    // MARK: Pushes

    /// A silent push (`content-available`) comes for the app, which handles it now, later, or never: the system
    /// decides.
    ///
    /// The app has to have registered for remote notifications, and to declare the mode `remote-notification`. In front
    /// it is handed over at once. Otherwise the app is started or resumed for it, unless background refresh is off, the
    /// battery is low, the low-power mode is on, ``SystemPolicy/pushesPerHour`` are used up or the user has not
    /// unlocked the device since it was started: then it is held, and only the newest one is kept. One that is held is
    /// lost when the app is ended, and so is each that comes after a force quit.
    ///
    /// Apple, documentation/usernotifications/pushing-background-updates-to-your-app
    ///
    /// - Parameter fields: What the server has added to the payload, beside `aps`.
    public func receivePush(_ fields: [String: String] = [:]) {
        perform("receive push") { pushes.receive(fields) }
    }

    // MARK: The device

    /// The charge of the battery, from 0 to 1; other values are brought to the nearer end.
    public func setBattery(_ level: Double) {
        let level = level.isNaN ? 0 : min(1, max(0, level))
        perform("battery \(level)") { change { $0.batteryLevel = level } }
    }

    /// The user plugs the charger in.
    public func plugIn() { perform("plug in") { change { $0.isOnExternalPower = true } } }

    /// The user unplugs the charger.
    public func unplug() { perform("unplug") { change { $0.isOnExternalPower = false } } }

    /// The user switches the low-power mode.
    public func setLowPowerMode(_ isOn: Bool) {
        perform("low-power mode \(isOn ? "on" : "off")") {
            let wasOn = conditions.isLowPowerMode == true
            change { $0.isLowPowerMode = isOn }
            if wasOn != isOn { notifyRunningApp(of: .backgroundRefreshChanged) }
        }
    }

    /// The network changes.
    public func setNetwork(_ network: DeviceConditions.Network) {
        perform("network \(network.rawValue)") { change { $0.network = network } }
    }

    /// The user switches background refresh in the settings. While it is off, requests for refresh and processing are
    /// refused, and those that are pending wait.
    public func setBackgroundRefresh(_ isOn: Bool) {
        perform("background refresh \(isOn ? "on" : "off")") {
            let wasOn = isBackgroundRefreshOn
            isBackgroundRefreshOn = isOn
            notifyParts()
            if wasOn != isOn { notifyRunningApp(of: .backgroundRefreshChanged) }
        }
    }

    /// The device gets warmer or cooler.
    public func setThermalState(_ state: DeviceConditions.ThermalState) {
        perform("thermal state \(state.rawValue)") { change { $0.thermalState = state } }
    }

    /// Other apps need memory: a suspended process is ended without a word; one that runs gets a warning.
    ///
    /// - Parameter isSevere: Whether so much is needed that a process which runs in the background is ended too,
    ///   without a word, whatever its background tasks and jobs (Apple, "Identifying high-memory use with jetsam event
    ///   reports": the app in front comes last).
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

    /// The system takes the interface of an app in the background away, to have what it needs; with UIKit, its scene is
    /// disconnected, and another one connected when the user comes back (Apple, "Managing your app's life cycle": at
    /// any time, of a scene in the background or suspended). The process stays; a suspended one is notified of it when
    /// it runs again. For an app in front, or one that does not run, it is only a warning in the log.
    public func disconnectScene() {
        perform("disconnect scene") {
            switch life.state {
            case .leaving, .background, .suspended: notifyApp(of: .sceneDisconnected)
            case .notRunning, .prewarmed, .launching, .active, .inactive, .ending:
                log(.system, .warning("only the scene of an app in the background is disconnected"))
            }
        }
    }

    /// The device sleeps for that long, whatever the app was doing: nothing runs, uptime stands still, the continuous
    /// and the wall clock count.
    public func sleepMachine(for duration: Duration) {
        control("sleep for \(duration)")
        time.sleepMachine(for: duration)
    }

    /// Sets the wall clock. The other clocks do not move.
    public func setWallClock(_ instant: WallInstant) {
        control("set wall clock")
        time.setWallClock(instant)
        notifyWallClockSet()
    }

    /// Moves the wall clock forward or (negative) back.
    public func moveWallClock(by duration: Duration) {
        control("move wall clock by \(duration)")
        time.moveWallClock(by: duration)
        notifyWallClockSet()
    }

    /// The device is restarted: the process ends without a word, ``SystemPolicy/rebootTime`` passes, and uptime begins
    /// again. The device is locked then.
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

    /// The debugger lets the run of a pending request begin, whatever the rules say
    /// (`_simulateLaunchForTaskWithIdentifier:`). Without such a request it is a warning in the log.
    public func launchJob(_ identifier: String) {
        jobs.makeDue(identifier)
        time.settle()
    }

    /// The debugger lets a run expire (`_simulateExpirationForTaskWithIdentifier:`). Without one it is a warning in the
    /// log.
    public func expireJob(_ identifier: String) {
        jobs.expire(identifier)
        time.settle()
    }

    /// The user cancels continued work, as with the button of its Live Activity: a run expires, work that waits is
    /// withdrawn.
    public func cancelJob(_ identifier: String) {
        jobs.cancelByUser(identifier)
        time.settle()
    }

    // MARK: Time

    /// Lets `duration` pass: everything that falls due meanwhile runs, at its instant. It is longer only if the app is
    /// at work (``SimulatedHost/work(for:)``) at the end.
    public func advance(by duration: Duration) { time.advance(by: duration) }

    /// Lets time pass until the wall clock shows `instant`; returns at once when it has passed.
    public func advance(until instant: WallInstant) { advance(by: time.wall().duration(to: instant)) }

    /// Like the synchronous form, for apps that use `Task { @MainActor in … }`: at each step, what waits in the main
    /// actor's own queue runs too.
    ///
    /// That is deterministic as long as chains from one main-actor task to the next are shorter than
    /// ``mainActorPasses``, and none leaves the main actor in between. A task that does, as `Task.yield()` makes it,
    /// has turns too, but how many of them by which instant is the machine's affair. Those tasks are not the process's:
    /// they run although it is suspended, or has ended. The other controls do not wait for them; let no time pass,
    /// `await device.advance(by: .zero)`, after one.
    public func advance(by duration: Duration) async {
        let target = time.uptime().advanced(by: max(.zero, duration))
        repeat { await settle() } while !time.step(towards: target)
        await settle()
    }

    /// Lets time pass until something new is in the ``log``, at the most `limit`, and then for nothing that comes later
    /// than that instant. The main actor is left to others now and then, so meanwhile a program can still answer.
    ///
    /// - Returns: What came first; `nil` when nothing did, and then exactly `limit` has passed.
    @discardableResult
    public func skipToNextEvent(within limit: Duration = .seconds(86_400)) async -> DeviceEvent? {
        time.settle()
        let known = deviceLog.count
        let target = time.uptime().advanced(by: max(.zero, limit))
        var steps = 0
        while deviceLog.count == known {
            // The step that reaches the target has run what happens there.
            if time.step(towards: target) { break }
            time.settle()
            steps += 1
            if steps.isMultiple(of: Self.stepsBetweenPauses) { await Task.yield() }
        }
        return deviceLog.event(known)
    }

    /// How many deadlines may pass until the main actor is left to others.
    private static var stepsBetweenPauses: Int { 200 }

    /// How many hops through the main actor's queue are waited for at each step of the asynchronous form.
    public static var mainActorPasses: Int { 8 }

    /// Runs what can run at this instant, in the process and in the main actor's queue.
    func settle() async {
        repeat {
            time.settle()
            // Each hop leads away and back to the end of the main actor's queue, which is first in, first out: what
            // was there before has run when it returns.
            for _ in 0..<Self.mainActorPasses { await Task.yield() }
        } while time.isRunnable
    }

    // MARK: Private

    private func comeToFront() {
        if isLocked { unlockScreen() } else { touch() }
        guard installation != nil else { return fault(Fault(.noApp, "install an app first")) }
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
        // A suspended process is notified of it when it runs again.
        if let runningHost, runningHost.process.isRunning { runningHost.changes.conditions.set(conditions) }
        notifyParts()
    }
}
