import ApusBackground
import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusTimers

/// Runs every order of the events of background timers, up to a length.
@MainActor
@Suite("Background timers, in every order")
struct BackgroundTimerProgramTests {
    enum Step: CaseIterable, Sendable {
        case schedule
        case cancelOldest
        case expire
        case fire
        case home
        case comeBack
    }

    /// A host with timers, and the conditions that must hold after every step.
    @MainActor
    private final class World {
        let host = TestHost()
        let log = Log<BackgroundTimers.Event>()
        let coverage: BackgroundTimers.Coverage
        var timers: BackgroundTimers?
        var ids: [BackgroundTimers.ID] = []
        let runs = Log<Int>()
        var isExpired = false

        init(_ coverage: BackgroundTimers.Coverage) {
            self.coverage = coverage
            timers = BackgroundTimers(host: host, coverage: coverage, delegate: log)
        }

        /// Returns whether a step would change nothing, so that a shorter program without the step tests the same.
        func isIdle(_ step: Step) -> Bool {
            switch step {
            case .schedule: false
            case .cancelOldest: ids.isEmpty
            case .expire: isExpired && host.openTasks.isEmpty
            case .fire: host.engine.liveTimerCount == 0
            case .home: host.phase != .active
            case .comeBack: host.phase == .active && !isExpired
            }
        }

        func perform(_ step: Step) throws {
            switch step {
            case .schedule:
                // Of every three timers, the first fires once, the second repeats, and the third is handed over.
                let (runs, number) = (runs, ids.count)
                let id = try timers?.schedule(
                    after: .seconds(number % 3 == 2 ? 50 : 1), every: number % 3 == 1 ? .seconds(1) : nil,
                    handover: number % 3 == 2 ? .custom { _, _ in } : .none
                ) { runs.add(number) }
                if let id { ids.append(id) }
            case .cancelOldest:
                if let id = ids.first(where: { timers?.pending.contains($0) ?? false }) ?? ids.first {
                    let wasPending = timers?.pending.contains(id)
                    #expect(timers?.cancel(id) == wasPending)
                }
            case .expire:
                host.expire()
                isExpired = true
            case .fire:
                host.time.advance(by: .seconds(1))
            case .home:
                if host.phase == .active { host.pressHome() }
            case .comeBack:
                host.open()
                isExpired = false
            }
            host.settle()
        }

        func dropTimers() {
            timers = nil
            host.settle()
        }

        /// The description of a broken condition, or `nil`.
        var objection: String? {
            let tasks = host.openTasks
            let pending = timers?.pending ?? []
            if host.faultCount > 0 { return "a background task was forgotten" }
            if pending.isEmpty, !tasks.isEmpty { return "a background task is open for nothing" }
            if host.phase == .active, !isExpired {
                let expected = coverage == .shared ? min(1, pending.count) : pending.count
                if tasks.count != expected {
                    return "\(tasks.count) background tasks instead of \(expected)"
                }
            }
            if tasks.count > (coverage == .shared ? 1 : pending.count) { return "too many background tasks" }
            var ended: Set<BackgroundTimers.ID> = []
            var executions = 0
            for event in log.all {
                switch event {
                case .executed(let id, let willRepeat):
                    executions += 1
                    if ended.contains(id) { return "\(id) was executed after its end" }
                    if !willRepeat { ended.insert(id) }
                case .cancelled(let id):
                    if !ended.insert(id).inserted { return "\(id) has ended twice" }
                case .expired(let ids), .handedOver(let ids):
                    if ids.isEmpty { return "an event about nothing" }
                    if let id = ids.first(where: ended.contains) { return "\(id) is mentioned after its end" }
                }
            }
            if executions != runs.all.count { return "\(runs.all.count) runs, but \(executions) were reported" }
            if !ended.isDisjoint(with: pending) { return "what has ended is pending" }
            if ended.union(pending) != Set(ids) { return "a timer is neither pending nor has it ended" }
            return nil
        }
    }

    @Test("every background task ends once, and every timer has one end", arguments: BackgroundTimers.Coverage.allCases)
    func everyOrder(_ coverage: BackgroundTimers.Coverage) async throws {
        var programs = 0
        for length in 0...6 {
            var program = Array(repeating: 0, count: length)
            repeat {
                if let idle = try run(program.map { Step.allCases[$0] }, coverage) {
                    // The step at `idle` changes nothing in any program with this beginning, so all of these programs
                    // are skipped.
                    for index in program.indices where index > idle { program[index] = Step.allCases.count - 1 }
                } else {
                    programs += 1
                }
                // The yield lets other tests use the main actor.
                if programs.isMultiple(of: 64) { await Task.yield() }
            } while advance(&program)
        }
        #expect(programs > 4_000)
    }

    /// Runs a program, and then releases the timers.
    ///
    /// - Returns: The index of a step that would change nothing, at which the program was abandoned; otherwise `nil`.
    private func run(_ steps: [Step], _ coverage: BackgroundTimers.Coverage) throws -> Int? {
        let world = World(coverage)
        for (index, step) in steps.enumerated() {
            if world.isIdle(step) { return index }
            try world.perform(step)
        }
        // The programs of smaller lengths ran first, so an earlier step of this program is not checked again.
        if let objection = world.objection { Issue.record("\(steps), \(coverage): \(objection)") }
        world.dropTimers()
        // Later events of the host must not reach the released timers.
        for step in [Step.home, .expire, .fire, .comeBack] { try world.perform(step) }
        if let objection = world.objection { Issue.record("\(steps), deinit, \(coverage): \(objection)") }
        if !world.host.time.leaks.isEmpty { Issue.record("\(steps), \(coverage): \(world.host.time.leaks)") }
        return nil
    }

    /// Advances to the next program of the same length; `false` after the last one.
    private func advance(_ program: inout [Int]) -> Bool {
        for index in program.indices.reversed() {
            program[index] += 1
            if program[index] < Step.allCases.count { return true }
            program[index] = 0
        }
        return false
    }
}
