import ApusBackground
public import ApusDevice
import ApusTimers
import ApusVirtualTime
import CProcessClock
import Foundation
import PlatformC

/// The device's view of a simulated app's process, which is a process of the operating system.
///
/// The process is forked from the launcher (``AppLauncher``), a process in which this program is loaded but does not
/// run. The forked process runs a function of the program in place of `main`. Its time is virtual, and advances from
/// deadline to deadline of the process, only as far as the device allows. It does not advance while the app is
/// suspended. At the app's end the process is killed, so that no thread, timer, queue, task or variable of the app
/// remains.
final class AppProcess: SteppedProcess {
    private struct State {
        var pid: pid_t = 0
        /// The instant, by the device's uptime, at which something in the process is due.
        var next: UInt64?
        /// The nanoseconds by which the continuous clock and the wall clock were ahead of the uptime when the process
        /// ran last.
        var offsets: [Int64] = []
        var isInExchange = false
        /// Whether the process has been informed that the user scrolls.
        var isTracking = false
        var lastEvent = 0
        /// The events that the process handles when it runs next.
        var events: [NumberedEvent] = []
        /// The event whose code on the main thread has not returned yet.
        var awaited: Int?
        var lastRequest = 0
        /// The reply to the last request to read or touch the screen.
        var screen: ScreenReply?
        /// Observations that end with the process.
        var observations: [ObservationToken] = []
        /// The tasks by number; completed ones stay, so that the device can warn about a second completion.
        var tasks: [Int: SimulatedTask] = [:]
        /// Whether the process was prewarmed and has not been launched yet.
        var isPrewarmed: Bool
        var crash: AppCrash?
        /// Whether the process searches for the place of its crash, which takes long on a busy machine.
        var isExamining = false
    }

    let host: SimulatedHost
    let notifications: DeviceNotifications
    let records: any PhoneRecords
    let settings: @MainActor () -> PhoneSettings
    let containers: AppContainers
    private let launcher: AppLauncher
    private let socket: LineSocket
    private let output: AppOutput
    private let state: Locked<State>

    /// An hour, in nanoseconds, by which a process's monotonic clocks are ahead of the device's.
    ///
    /// A device's uptime may begin at zero, which Dispatch would take for "now".
    private static let startOfUptime: Int64 = 3_600_000_000_000
    /// The milliseconds of real time for which the device waits for the process's next message while the process runs.
    private static let limit: Int32 = 30_000
    /// The milliseconds of real time that replace `limit` after the app has crashed, while its process searches for the
    /// place of the crash.
    private static let examinationLimit: Int32 = 600_000

    /// Starts a process that runs `program` in place of `main`; a prewarmed process stops before its launch.
    @MainActor
    init(
        _ host: SimulatedHost, _ containers: AppContainers, phone: Phone,
        settings: @escaping @MainActor () -> PhoneSettings,
        isPrewarmed: Bool, program: @convention(c) () -> Void
    ) throws {
        let offset = process_clock_offset(program)
        guard ProcessClock.isAvailable, offset != 0, let (own, other) = LineSocket.pair() else {
            throw AppProcessError.cannotStart(
                ProcessClock.isAvailable
                    ? "the program must be a closure or function of the executable itself, without captures"
                    : "time cannot be virtual here; this needs Linux with glibc, and a build without a sanitizer")
        }
        // The new process has its own copy of this end.
        defer { close(other) }
        self.host = host
        self.containers = containers
        self.settings = settings
        state = Locked(State(isPrewarmed: isPrewarmed))
        notifications = DeviceNotifications(host, phone.shelf, dates: .device)
        records = phone.records
        socket = LineSocket(descriptor: own)
        output = try AppOutput()
        launcher = try AppLauncher.current()
        var variables = try containers.variables()
        // A phone sets this variable too: github.com/firebase/firebase-ios-sdk/pull/9362.
        if isPrewarmed { variables["ActivePrewarm"] = "1" }
        let pid = try launcher.start(
            offset: offset, variables: variables, standardInput: other, output: output.descriptor)
        state.withLock { $0.pid = pid }
        host.attach(self)
    }

    /// Runs the program until its launch is over, which is when its main run loop runs.
    @MainActor
    func launch() {
        observeDevice()
        state.withLock { $0.awaited = 0 }
        exchange()
        waitForReturn()
    }

    /// Runs the program until its launch would begin, or until it is at rest at this instant.
    @MainActor
    func prewarm() {
        state.withLock { $0.awaited = 0 }
        exchange()
    }

    /// Launches the program, which was prewarmed, and runs it until its launch is over.
    @MainActor
    func finishLaunch() {
        observeDevice()
        state.withLock { $0.isPrewarmed = false }
        deliver(.launch(status))
    }

    var isPrewarmed: Bool { state.withLock { $0.isPrewarmed } }

    // MARK: Events

    private func observeDevice() {
        let observations = [
            host.observePhase { [weak self] in self?.deliver(.phase($0)) },
            host.observeConditions { [weak self] in self?.deliver(.conditions($0)) },
        ]
        state.withLock { $0.observations = observations }
        host.audio.onSessionEvent = { [weak self] in self?.deliver(.audioSession($0)) }
        host.audio.onItemEnd = { [weak self] in self?.deliver(.audioItemEnded(player: $0, $1)) }
        notifications.onOpen = { [weak self] in self?.deliver(.notificationOpened($0)) }
        host.pushes.onPush = { [weak self] in self?.deliver(.pushComes($0)) }
        host.transfers.onNotice = { [weak self] in self?.deliver(.transfersEnded($0)) }
    }

    /// Delivers an event as soon as the app runs; call it on any thread.
    func deliverSoon(_ event: AppEvent) { host.mainLoop.run { [weak self] in self?.deliver(event) } }

    /// Delivers an event, and runs the app until it is at rest at this instant.
    ///
    /// For an event whose handling has a time limit, time advances until the code on the main thread has returned, or
    /// the system ends the process.
    @MainActor
    func deliver(_ event: AppEvent) {
        state.withLock { state in
            state.lastEvent += 1
            state.events.append(NumberedEvent(number: state.lastEvent, event: event))
            state.awaited = state.lastEvent
        }
        // The suspension is delivered together with the event that resumes the app, before the app's overdue timers
        // fire.
        if case .phase(.suspended) = event { return }
        exchange()
        waitForReturn()
    }

    /// Reads or touches the screen as the user does; returns `nil` if the main thread does not handle that at this
    /// instant.
    @MainActor
    func answer(_ request: ScreenRequest) -> ScreenReply? {
        let number = state.withLock { state in
            state.lastRequest += 1
            state.screen = nil
            return state.lastRequest
        }
        deliver(.screen(number, request))
        return state.withLock { $0.screen }
    }

    /// Keeps the reply to a request, unless a later request was sent meanwhile.
    func keep(_ reply: ScreenReply, of request: Int) {
        state.withLock { if $0.lastRequest == request { $0.screen = reply } }
    }

    /// Advances time while the code of the awaited event blocks the main thread and has a time limit.
    @MainActor
    private func waitForReturn() {
        while host.isWatched, host.isRunning, state.withLock({ $0.awaited != nil }) {
            // Without a deadline, only the time limit of the handling can end the wait, and that limit is far shorter
            // than a day.
            host.wait(for: max(1, untilNextDeadline ?? 86_400_000_000_000))
            if host.isRunning { exchange() }
        }
        state.withLock { $0.awaited = nil }
    }

    // MARK: The step loop

    func runOne() -> Bool {
        guard host.isRunning, isDue else { return false }
        exchange(freeTime: host.freeTime(for: self))
        return true
    }

    var untilNextDeadline: UInt64? {
        if isDue { return 0 }
        let now = host.engine.time.uptime().nanoseconds
        return state.withLock { state in state.next.map { $0 > now ? $0 - now : 0 } }
    }

    private var isDue: Bool {
        let (readings, isTracking) = (readings, host.isTracking)
        return state.withLock { state in
            guard !state.isInExchange, state.pid != 0 else { return false }
            return state.offsets != readings.offsets || state.isTracking != isTracking
                || state.next.map { $0 <= host.engine.time.uptime().nanoseconds } ?? false
        }
    }

    private var readings: AppReadings {
        let time = host.engine.time
        return AppReadings(
            uptime: Int64(clamping: time.uptime().nanoseconds) + Self.startOfUptime,
            continuous: Int64(clamping: time.continuous().nanoseconds) + Self.startOfUptime,
            wall: Int64(clamping: time.wall().nanoseconds))
    }

    /// Runs the process until nothing in it can run at this instant.
    ///
    /// After that, the process may advance its clocks by itself for less than `freeTime` nanoseconds.
    private func exchange(freeTime: UInt64 = 0) {
        let (readings, isTracking) = (readings, host.isTracking)
        let (pid, events) = state.withLock { state in
            state.isTracking = isTracking
            state.isInExchange = true
            state.offsets = readings.offsets
            defer { state.events = [] }
            return (state.pid, state.events)
        }
        defer { state.withLock { $0.isInExchange = false } }
        guard pid != 0 else { return }
        socket.send(DeviceMessage.run(readings, isScrolling: isTracking, events, freeTime: freeTime))
        var passed: UInt64 = 0
        while true {
            switch socket.receive(
                AppMessage.self, limit: state.withLock { $0.isExamining ? Self.examinationLimit : Self.limit })
            {
            case .value(.idle(let next, let elapsed)):
                host.wait(for: elapsed - passed)
                logOutput()
                let now = host.engine.time.uptime().nanoseconds
                return state.withLock { $0.next = next.map { now + $0 } }
            case .value(.returned(let event)):
                state.withLock { if $0.awaited == event { $0.awaited = nil } }
            case .value(.call(let number, let call, let elapsed)):
                host.wait(for: elapsed - passed)
                passed = elapsed
                logOutput()
                // The step loop of a device runs on the main actor.
                let reply = MainActor.assumeIsolated { answer(call) }
                // The call may have ended the process.
                guard state.withLock({ $0.pid != 0 }) else { return }
                let free = freeTime > 0 ? host.freeTime(for: self) : 0
                socket.send(DeviceMessage.reply(call: number, reply, freeTime: free))
            case .end:
                return crashed()
            case .timedOut:
                logOutput()
                host.fault(
                    Fault(
                        .appProcessBlocked,
                        "a thread of the app did not come to rest within \(Self.limit / 1000) s of the machine's time; a "
                            + "loop that waits without sleeping for the clock to move never ends here"))
                return host.end("blocked")
            }
        }
    }

    private func crashed() {
        let (pid, crash) = state.withLock { state in
            defer { state.pid = 0 }
            return (state.pid, state.crash)
        }
        guard pid != 0 else { return }
        let how = reap(pid)
        logOutput(isAtEnd: true)
        host.fault(AppCrash.fault("the app's process \(how)", crash, lastLines: output.lastLines))
        host.end("the process \(how)")
    }

    /// Returns the place of a stack's addresses if an earlier crash had the same addresses.
    ///
    /// From this call on, the process has more time to come to rest, because it may search for the place itself.
    func place(of addresses: String) -> CallStack.Place? {
        state.withLock { $0.isExamining = true }
        return launcher.places.withLock { $0[addresses] }
    }

    /// Keeps the report of a crash; the process is about to end.
    func keep(_ crash: AppCrash) {
        launcher.places.withLock { $0[crash.addresses] = crash.place }
        state.withLock { $0.crash = crash }
    }

    /// Logs the lines that the process has printed; an incomplete line waits for its end.
    private func logOutput(isAtEnd: Bool = false) {
        for line in output.takeLines(isAtEnd: isAtEnd) { host.log(.app, .printed(line)) }
    }

    func end() {
        let (pid, observations) = state.withLock { state in
            defer { (state.pid, state.observations, state.tasks) = (0, [], [:]) }
            return (state.pid, state.observations)
        }
        for observation in observations { observation.cancel() }
        if pid != 0 {
            kill(pid, SIGKILL)
            _ = reap(pid)
        }
        socket.end()
    }

    /// Waits for the process, which has ended or is about to end, and returns the way in which it ended, in words.
    private func reap(_ pid: pid_t) -> String {
        let status = launcher.wait(for: pid)
        let signal = status & 0x7f
        guard signal != 0 else { return "exited with status \(status >> 8 & 0xff)" }
        return "was ended by signal \(signal) (\(strsignal(signal).map { String(cString: $0) } ?? "unknown"))"
    }

    /// The files of app groups whose locks make the system end the process when it is suspended.
    ///
    /// The kernel reports locks of `flock` and `fcntl`, which SQLite uses too.
    var lockedFiles: [String] {
        let pid = state.withLock { $0.pid }
        guard pid != 0 else { return [] }
        return containers.groupFiles(lockedBy: pid)
    }

    // MARK: Tasks

    func task(_ number: Int) -> SimulatedTask? { state.withLock { $0.tasks[number] } }

    @MainActor
    func begin(_ task: SimulatedTask) {
        state.withLock { $0.tasks[task.number] = task }
        deliver(.taskBegins(task.number, task.request))
    }
}

extension AppReadings {
    /// The nanoseconds by which the continuous clock and the wall clock are ahead of the uptime.
    fileprivate var offsets: [Int64] { [continuous - uptime, wall - uptime] }
}

/// The reason for which an app's process was not started.
enum AppProcessError: Error, CustomStringConvertible {
    case cannotStart(String)

    var description: String {
        switch self {
        case .cannotStart(let why): "the app's process was not started: \(why)"
        }
    }
}

extension Fault.Rule {
    /// The app's process ended by itself: it trapped, exited, or was ended by a signal.
    public static let appProcessCrash = Fault.Rule("appProcessCrash")
    /// A thread of the app's process never comes to rest.
    public static let appProcessBlocked = Fault.Rule("appProcessBlocked")
    /// The program of an installation returned without running an app, and left nothing that continues.
    public static let programReturned = Fault.Rule("programReturned")
    /// An expectation of Swift Testing failed in the app's own process.
    public static let failedExpectation = Fault.Rule("failedExpectation")
}
