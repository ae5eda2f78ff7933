import ApusDevice
import ApusTimers
import ApusVirtualTime
import CProcessClock
import Dispatch
import Foundation
import PlatformC

/// The connection of an app's process to the device, as used in that process.
///
/// It has two threads: one receives messages, and the other runs what is due. The second thread also finds out whether
/// the process is at rest, which requires that the first thread is asleep.
final class AppLink: Sendable {
    /// The link of this process; `nil` if it is not the process of a simulated app.
    static var current: AppLink? { link.withLock { $0 } }

    private static let link = Locked<AppLink?>(nil)
    private static let scrolling = ScrollingLoop()

    private struct Run {
        let readings: AppReadings
        let isScrolling: Bool
        let events: [NumberedEvent]
        let freeTime: UInt64
    }

    private struct State {
        var runs: [Run] = []
        var waiting: [Int: Waiting] = [:]
        var lastCall = 0
        var replies = 0
        /// The nanoseconds that the process has advanced its clocks by itself in the present run.
        var elapsed: UInt64 = 0
        /// The limit of `elapsed`, in nanoseconds; `elapsed` must stay below it.
        var freeTime: UInt64 = 0
        /// The number of bytes that the process had printed when the device was last asked to read them.
        var printed: Int64 = 0
        var program = Program.runs
    }

    /// The progress of the app's program.
    private enum Program {
        case runs
        case returned
        case isJudged
    }

    /// A thread that waits for the reply to a call.
    private final class Waiting: Sendable {
        let reply = Locked<Data?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }

    private let socket: LineSocket
    private let state = Locked(State())
    private let somethingCame = DispatchSemaphore(value: 0)
    private let services = Locked<(process: PhoneProcess, phone: RemotePhone)?>(nil)

    init(_ socket: LineSocket) { self.socket = socket }

    /// Runs the app's program.
    ///
    /// The process must call this method first, so that time is virtual before other code reads a clock.
    static func main(_ program: @convention(c) () -> Void) -> Never {
        let new = AppLink(LineSocket(descriptor: 0))
        guard
            case .value(.run(let readings, let isScrolling, let events, let free)) =
                new.socket.receive(DeviceMessage.self)
        else { exit(0) }
        let start = process_clock_reading(
            uptime: readings.uptime, continuous: readings.continuous, wall: readings.wall)
        guard process_clock_begin(start) == 0 else { exit(1) }
        link.withLock { $0 = new }
        app_output_begin()
        if !FileProtection.begin() { new.perform(.warn(FileProtection.warning)) }
        app_crash_begin { AppLink.current?.reportCrash() }
        AppExpectations.observe()
        _ = scrolling
        let first = Run(readings: readings, isScrolling: isScrolling, events: events, freeTime: free)
        new.state.withLock { $0.runs = [first] }
        // The main run loop sends this message when it first runs, which is when the launch is over.
        new.sendReturned(0)
        Mover.start { new.read() }
        // This thread is started last, because its first run ends when it finds the process at rest. It must not find
        // the process at rest before the main thread has reached the program.
        Mover.start { new.run() }
        if !AppBundle.begin(new.process.host.manifest) { new.perform(.warn(AppBundle.warning)) }
        if !RunLoopTimers.begin() { new.perform(.warn(RunLoopTimers.warning)) }
        CallOut.run("its launch", program)
        new.state.withLock { if $0.program == .runs { $0.program = .returned } }
        while true { RunLoop.main.run() }
    }

    // MARK: The two threads

    private func read() {
        while case .value(let message) = socket.receive(DeviceMessage.self) {
            switch message {
            case .run(let readings, let isScrolling, let events, let freeTime):
                let run = Run(readings: readings, isScrolling: isScrolling, events: events, freeTime: freeTime)
                state.withLock { $0.runs.append(run) }
                somethingCame.signal()
            case .reply(let call, let reply, let freeTime):
                let waiting = state.withLock { state in
                    state.replies += 1
                    state.freeTime = state.elapsed + freeTime
                    return state.waiting.removeValue(forKey: call)
                }
                waiting?.reply.withLock { $0 = reply }
                waiting?.isThere.signal()
                somethingCame.signal()
            }
        }
        // The connection has ended, because the device is gone.
        _exit(0)
    }

    private func run() {
        while true {
            guard let run = state.withLock({ $0.runs.isEmpty ? nil : $0.runs.removeFirst() }) else {
                somethingCame.wait()
                continue
            }
            state.withLock { ($0.elapsed, $0.freeTime) = (0, run.freeTime) }
            if !run.events.isEmpty {
                perform(run)
                settle()
            }
            // If the main thread is blocked, `perform(_:)` has not moved the clocks.
            jump(to: run.readings)
            Self.scrolling.set(run.isScrolling)
            settle()
            advance()
            // The app's defaults are stored after each `Run`. On a phone, another process stores them, even if the app
            // is killed a moment later.
            UserDefaults.standard.synchronize()
            var left: Int64 = 0
            let isAny = process_clock_until_next(&left)
            judgeProgram(waits: isAny && left < Self.never)
            let elapsed = state.withLock { $0.elapsed }
            socket.send(AppMessage.idle(next: isAny ? UInt64(max(1, left)) : nil, elapsed: elapsed))
        }
    }

    /// Reports a fault if the program has returned, and has left neither an app nor anything else that will run.
    ///
    /// A test of such a program would test nothing, and so would find no mistakes.
    private func judgeProgram(waits: Bool) {
        let hasReturned = state.withLock { state in
            guard state.program == .returned else { return false }
            state.program = .isJudged
            return true
        }
        if hasReturned, !waits { perform(.fault(Fault(.programReturned, Self.returned))) }
    }

    /// The time after which a deadline counts as none: ten years, in nanoseconds.
    ///
    /// Core Foundation lets a timer with a distant date fire after 16 years.
    private static let never: Int64 = 315_360_000_000_000_000
    private static let returned = """
        the installed program has returned without running an app; call SimulatedPhone.run(AppDelegate()) in it, or \
        the main() of an App
        """

    /// Moves the clocks from deadline to deadline, while nothing else of the device is due and nothing was printed.
    ///
    /// The device must read printed text at the instant at which it was printed. The number of steps is limited so that
    /// the process reports regularly; otherwise the device would conclude that it never comes to rest.
    private func advance() {
        for _ in 0..<Self.stepsWithoutDevice {
            let printed = app_output_size()
            guard state.exchange(\.printed, with: printed) == printed else { return }
            var left: Int64 = 0
            guard process_clock_until_next(&left) else { return }
            let step = UInt64(max(1, left))
            let isFree = state.withLock { state in
                guard state.elapsed + step < state.freeTime else { return false }
                state.elapsed += step
                return true
            }
            guard isFree else { return }
            process_clock_jump(Int64(step), Int64(step), Int64(step))
            settle()
        }
    }

    private static let stepsWithoutDevice = 1_000

    /// Runs the process until nothing is due, nothing can run, and no thread waits for the device.
    ///
    /// A reply comes from outside, and can wake a thread after all threads were found asleep. The process is therefore
    /// at rest only if no reply has arrived since then, and none is awaited.
    private func settle() {
        while true {
            let replies = state.withLock { $0.replies }
            guard process_clock_advance(0, .max) == 0 else { continue }
            if app_crash_has_begun() { app_crash_wait() }
            let (isWaiting, hasReply) = state.withLock { (!$0.waiting.isEmpty, $0.replies != replies) }
            if !isWaiting, !hasReply { return }
            if isWaiting, !hasReply { somethingCame.wait() }
        }
    }

    private func jump(to readings: AppReadings) {
        let now = process_clock_now()
        // The process's clocks may be ahead of the readings, because each sleep of zero length moves the clocks by a
        // nanosecond. The monotonic clocks must never be set back.
        process_clock_jump(
            max(0, readings.uptime - now.uptime), max(0, readings.continuous - now.continuous),
            readings.wall - now.wall)
    }

    /// Moves the clocks and handles the events, both on the main thread.
    ///
    /// This way the app's observers are called before the timers of its run loop that became due while the app was
    /// suspended.
    private func perform(_ run: Run) {
        DispatchQueue.main.async { [self] in
            jump(to: run.readings)
            process_clock_wake()
            for event in run.events {
                // This creates the `PhoneProcess`, without which a program that has not used any service would have no
                // screen.
                if case .screen = event.event { _ = self.process }
                MainActor.assumeIsolated {
                    CallOut.run(event.event.name) { services.withLock { $0 }?.phone.handle(event.event) }
                }
                // The message is sent after all work that the event has put on the main queue.
                sendReturned(event.number)
            }
        }
    }

    private func sendReturned(_ event: Int) {
        DispatchQueue.main.async { [self] in _ = socket.send(AppMessage.returned(event)) }
    }

    // MARK: For the app

    /// The phone as the frameworks use it, created at the first access.
    var process: PhoneProcess {
        if let services = services.withLock({ $0 }) { return services.process }
        let phone = RemotePhone(self, ask(.status, for: AppStatus.self))
        let new = (process: PhoneProcess(phone), phone: phone)
        ProgramCode.connectIntents(with: phone)
        return services.withLock { services in
            if services == nil { services = new }
            return services?.process ?? new.process
        }
    }

    /// Launches the app: at once, or, if this process was prewarmed, when the launch event arrives.
    @MainActor
    func atLaunch(_ launch: @escaping @MainActor () -> Void) {
        state.withLock { $0.program = .isJudged }
        _ = process
        guard let phone = services.withLock({ $0 })?.phone else { return launch() }
        phone.atLaunch(launch)
    }

    /// Lets the calling thread compute for a number of nanoseconds.
    ///
    /// The clocks of the device and of this process advance, and nothing else runs meanwhile.
    func work(for nanoseconds: Int64) {
        perform(.work(nanoseconds))
        process_clock_jump(nanoseconds, nanoseconds, nanoseconds)
        process_clock_wake()
    }

    private func reportCrash() {
        perform(.crash(.ofThisThread { ask(.place(ofAddresses: $0), for: CallStack.Place?.self) }))
    }

    /// Has the device carry out a call, and waits until that is done.
    func perform(_ call: AppCall) { _ = reply(to: call) }

    /// Sends a call to the device, and waits for the reply.
    ///
    /// It can be called on any thread; virtual time stands still meanwhile.
    func ask<Reply: Codable>(_ call: AppCall, for type: Reply.Type) -> Reply {
        guard let reply = try? JSONDecoder().decode(type, from: reply(to: call)) else {
            fatalError("the device's answer to \(call) is not a value of type \(type)")
        }
        return reply
    }

    /// Sends a call to the device, and returns the reply as JSON.
    private func reply(to call: AppCall) -> Data {
        let waiting = Waiting()
        let (number, elapsed) = state.withLock { state in
            if call.leavesSomething { state.program = .isJudged }
            state.lastCall += 1
            state.waiting[state.lastCall] = waiting
            return (state.lastCall, state.elapsed)
        }
        socket.send(AppMessage.call(number, call, elapsed: elapsed))
        waiting.isThere.wait()
        guard let reply = waiting.reply.withLock({ $0 }) else {
            fatalError("the device's answer to \(call) is missing")
        }
        return reply
    }
}

/// Runs the app's program; module CProcessClock calls it in place of `main`.
@_cdecl("apus_app_process_main")
func runAppProcess(_ program: @convention(c) () -> Void) { AppLink.main(program) }

extension AppCall {
    /// Whether the call may make the device call the app later, so that a program that has returned can continue.
    fileprivate var leavesSomething: Bool {
        switch self {
        case .status, .note, .warn, .sound, .fault, .work, .timeRemaining, .settings, .record, .screen, .place, .crash:
            false
        // The link itself observes these events in every process.
        case .observeService("\(SimulatedIntents.self)"): false
        default: true
        }
    }
}
