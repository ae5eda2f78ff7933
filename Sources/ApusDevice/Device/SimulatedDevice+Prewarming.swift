import ApusBackground
import ApusTimers
import ApusVirtualTime

/// A process that is started before it is needed.
extension SimulatedDevice {
    /// The system expects that the user opens the app soon, and starts its process: that runs up to, and not including, its
    /// launch, and stands still there until the user opens the app or the system has something for it.
    ///
    /// An app that is installed as a program runs until `SimulatedPhone.run` or the `main()` of an `App`, with the variable
    /// `ActivePrewarm=1` in its environment; a program that calls neither runs as a whole. In the test's process there is
    /// nothing that could run before the launch. It happens before the first unlock too, when protected files are closed
    /// (``isProtectedDataAvailable``). An app that has a process is not prewarmed, which is a warning.
    ///
    /// Apple, documentation/uikit/about-the-app-launch-sequence; the variable:
    /// github.com/firebase/firebase-ios-sdk/pull/9362.
    public func prewarm() {
        perform("prewarm") {
            guard let installation else { return fault(Fault(.noApp, "install an app first")) }
            guard life.prewarm() else { return log(.system, .warning("the app has a process, and is not prewarmed")) }
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
                // The code that waits continues after the launch.
                host.process.stop()
            }
        }
    }

    /// Whether there is a process that is more than prewarmed.
    var hasLaunched: Bool { runningHost != nil && life.state != .prewarmed }

    /// The launch of a process that was prewarmed.
    func wakePrewarmed(_ host: SimulatedHost, phase: Phase, toForeground: Bool, _ cause: LaunchCause) {
        log(.system, .launched("\(cause), prewarmed"))
        host.beginLaunch(phase, isInForeground: toForeground, cause)
        resume(host)
        notifyParts { $0.appLaunched(toForeground: toForeground) }
    }
}

extension SimulatedHost {
    /// A process that was prewarmed is launched, for that reason.
    func beginLaunch(_ phase: Phase, isInForeground: Bool, _ cause: LaunchCause) {
        let now = now
        state.withLock { state in
            state.launchCause = cause
            if isInForeground { state.claims.enterForeground(now: now) }
        }
        changes.phases.set(phase)
    }
}
