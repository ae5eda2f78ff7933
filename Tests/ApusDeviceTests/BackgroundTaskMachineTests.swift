import ApusBackground
import Testing

@testable import ApusDevice

@Suite("BackgroundTaskMachine")
struct BackgroundTaskMachineTests {
    private let second: UInt64 = 1_000_000_000
    private let task = HeldBackgroundTask(name: "background task", place: nil, end: .afterHandler, handler: nil)

    private func machine(isInForeground: Bool = true) -> BackgroundTaskMachine {
        BackgroundTaskMachine(rules: BackgroundTaskMachine.Rules(SystemPolicy()), isInForeground: isInForeground)
    }

    @Test("the budget is not consumed while a mode keeps the process running, and is consumed afterwards")
    func modes() {
        var machine = machine()
        _ = machine.begin(task, now: 0)
        machine.enterBackground(now: 0)
        #expect(machine.expiry(now: 0) == 26 * second)
        machine.setMode(.audio, isActive: true, now: 10 * second)
        #expect(machine.remaining(now: 20 * second) == nil)
        #expect(machine.expiry(now: 20 * second) == nil)
        #expect(machine.zero(now: 20 * second) == nil)
        machine.setMode(.audio, isActive: false, now: 1_000 * second)
        #expect(machine.remaining(now: 1_000 * second) == 20 * second)
        #expect(machine.expiry(now: 1_000 * second) == 1_016 * second)
        #expect(machine.zero(now: 1_000 * second) == 1_020 * second)
    }

    @Test("the budget is not consumed while background jobs run, and the remaining time is that of the jobs")
    func jobs() {
        var machine = machine(isInForeground: false)
        machine.setJobs(.until(50 * second), now: 0)
        _ = machine.begin(task, now: 0)
        #expect(machine.remaining(now: 10 * second) == 40 * second)
        #expect(machine.expiry(now: 10 * second) == nil)
        machine.setJobs(.unlimited, now: 20 * second)
        #expect(machine.remaining(now: 20 * second) == nil)
        machine.setJobs(.none, now: 100 * second)
        #expect(machine.remaining(now: 101 * second) == 29 * second)
        #expect(machine.zero(now: 101 * second) == 130 * second)
    }

    @Test("the budget is full after the foreground, and when the system resumes a suspended process")
    func suspension() {
        var machine = machine()
        guard case .granted(let id) = machine.begin(task, now: 0) else { return #expect(Bool(false)) }
        machine.enterBackground(now: 0)
        _ = machine.end(id, now: 10 * second)
        machine.suspend(now: 12 * second)
        machine.enterBackground(now: 500 * second)
        #expect(machine.remaining(now: 500 * second) == 30 * second)
        _ = machine.begin(task, now: 500 * second)
        #expect(machine.expiry(now: 500 * second) == 526 * second)
        machine.enterBackground(now: 501 * second)
        #expect(machine.remaining(now: 501 * second) == 29 * second, "only a suspended process is resumed")
        machine.enterForeground(now: 502 * second)
        machine.enterBackground(now: 502 * second)
        #expect(machine.remaining(now: 512 * second) == 20 * second)
    }

    @Test("a background task that ends in the foreground consumes no budget")
    func foreground() {
        var machine = machine()
        guard case .granted(let id) = machine.begin(task, now: 0) else { return #expect(Bool(false)) }
        _ = machine.end(id, now: 5 * second)
        machine.enterBackground(now: 10 * second)
        #expect(machine.remaining(now: 20 * second) == 30 * second)
    }

    @Test("each expiration handler is due once")
    func once() {
        var machine = machine(isInForeground: false)
        _ = machine.begin(task, now: 0)
        #expect(machine.expire(now: 25 * second).isEmpty)
        #expect(machine.expire(now: 26 * second).count == 1)
        #expect(machine.expire(now: 27 * second).isEmpty)
        #expect(machine.expiry(now: 27 * second) == nil)
        #expect(machine.zero(now: 27 * second) == 30 * second)
        #expect(machine.keepsRunning)
    }

    @Test(
        "a background task that begins in a job, with no budget left, has time for its handler after the job"
    )
    func lateUnderCover() {
        for cover in ["mode", "job"] {
            var machine = machine(isInForeground: false)
            func setCover(_ isOn: Bool, now: UInt64) {
                if cover == "mode" {
                    machine.setMode(.audio, isActive: isOn, now: now)
                } else {
                    machine.setJobs(isOn ? .until(99 * second) : .none, now: now)
                }
            }
            guard case .granted(let first) = machine.begin(task, now: 0) else { return #expect(Bool(false)) }
            #expect(machine.expire(now: 26 * second).count == 1)
            _ = machine.end(first, now: 26 * second)
            setCover(true, now: 35 * second)
            guard case .granted = machine.begin(task, now: 40 * second) else { return #expect(Bool(false)) }
            setCover(false, now: 50 * second)
            #expect(machine.expiry(now: 50 * second) == 50 * second)
            #expect(machine.zero(now: 50 * second) == 54 * second)
            #expect(machine.remaining(now: 51 * second) == 3 * second)
            #expect(machine.expire(now: 51 * second).count == 1)
            #expect(machine.zero(now: 51 * second) == 54 * second, "being late with the handlers gains nothing")
        }
    }

    @Test("a background task that the policy grants late does not delay the end for an earlier one")
    func lateGrant() {
        var policy = SystemPolicy()
        policy.refusesLateBackgroundTasks = false
        var machine = BackgroundTaskMachine(rules: BackgroundTaskMachine.Rules(policy), isInForeground: false)
        guard case .granted(let first) = machine.begin(task, now: 0) else { return #expect(Bool(false)) }
        guard case .granted = machine.begin(task, now: 28 * second) else { return #expect(Bool(false)) }
        #expect(machine.expiry(now: 28 * second) == 28 * second)
        #expect(machine.expire(now: 28 * second).count == 2)
        #expect(machine.zero(now: 28 * second) == 30 * second)
        _ = machine.end(first, now: 29 * second)
        #expect(machine.zero(now: 29 * second) == 32 * second)
    }

    @Test("a refused identifier may be ended once, and keeps nothing running")
    func refused() {
        var machine = machine(isInForeground: false)
        guard case .granted(let first) = machine.begin(task, now: 0) else { return #expect(Bool(false)) }
        guard case .tooLate(let late) = machine.begin(task, now: 26 * second) else { return #expect(Bool(false)) }
        #expect(machine.end(first, now: 26 * second) == .ended(name: "background task"))
        #expect(!machine.keepsRunning)
        #expect(machine.end(late, now: 26 * second) == .endedRefused)
        #expect(machine.end(late, now: 26 * second) == .unknown)
    }
}

@Suite("AppLifeMachine")
struct AppLifeMachineTests {
    @Test("after a force quit only the user starts the app")
    func forceQuit() {
        var machine = AppLifeMachine()
        #expect(machine.forceQuit() == .nothing)
        #expect(machine.launch(toForeground: true, usesScenes: true) == .start(.background))
        #expect(machine.launch(toForeground: true, usesScenes: true) == .alreadyRunning)
        machine.end()
        #expect(machine.forceQuit() == .removed)
        #expect(machine.launch(toForeground: false, usesScenes: true) == .forbidden)
        #expect(machine.launch(toForeground: true, usesScenes: false) == .start(.inactive))
        #expect(!machine.wasForceQuit)
        #expect(machine.finishLaunch(usesScenes: false) == [.active])
    }

    @Test("a launch by the system enters the background; after a force quit, only an exempt launch is allowed")
    func backgroundLaunch() {
        var machine = AppLifeMachine()
        #expect(machine.launch(toForeground: false, usesScenes: false) == .start(.background))
        #expect(machine.finishLaunch(usesScenes: false) == [.background])
        #expect(!machine.isInSwitcher)
        machine.end()
        _ = machine.launch(toForeground: true, usesScenes: true)
        machine.end()
        _ = machine.forceQuit()
        #expect(machine.launch(toForeground: false, usesScenes: true) == .forbidden)
        #expect(machine.launch(toForeground: false, usesScenes: true, despiteForceQuit: true) == .start(.background))
        #expect(machine.wasForceQuit, "it takes the user to undo that")
    }

    @Test("only an app at rest in the background is suspended, and only a suspended app is resumed there")
    func suspension() {
        var machine = AppLifeMachine()
        _ = machine.launch(toForeground: true, usesScenes: true)
        #expect(machine.finishLaunch(usesScenes: true) == [.inactive, .active])
        #expect(machine.resumeInBackground().isEmpty)
        #expect(machine.interrupt() == [.inactive])
        #expect(machine.interrupt().isEmpty)
        #expect(machine.leaveForeground() == [.background])
        #expect(machine.leaveForeground().isEmpty)
        var early = machine
        #expect(early.suspend() == false)
        machine.settle()
        var suspended = machine
        #expect(suspended.suspend() == true)
        #expect(suspended.resumeInBackground() == [.background])
        #expect(machine.activate() == [.inactive, .active])
    }
}
