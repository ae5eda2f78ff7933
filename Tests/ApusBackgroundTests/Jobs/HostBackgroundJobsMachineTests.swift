import Testing

@testable import ApusBackground
@testable import ApusTimers

@Suite("The machine of an ordinary host's background jobs")
struct HostBackgroundJobsMachineTests {
    @Test("every order of events keeps the invariants: each request is used once, and limits and phases are kept")
    func allOrders() {
        var worlds = 0
        var launches = 0
        func visit(_ world: World, depth: Int) {
            guard depth > 0 else { return }
            for event in Event.allCases {
                var next = world
                next.perform(event)
                worlds += 1
                launches += next.launched.count - world.launched.count
                let complaints = next.complaints
                guard complaints.isEmpty else {
                    Issue.record("\(complaints) after \(next.history)")
                    return
                }
                visit(next, depth: depth - 1)
            }
        }
        visit(World(), depth: 4)
        #expect(worlds > 20_000)
        #expect(launches > 1_000, "a machine that begins nothing breaks no rule")
    }
}

private enum Event: CaseIterable {
    case submitRefresh, submitRefreshLater, submitProcessing, submitOtherProcessing, submitContinued
    case cancel, complete, claimsExpire, refuse, changeNetwork, changePhase, passMinute
}

/// The machine with a host around it, and a model of the expected behaviour.
private struct World {
    var machine = HostBackgroundJobsMachine(.init(progressTimeout: .seconds(90)))
    var now = HostBackgroundReading(
        HostReading(
            ClockReading(
                wall: WallInstant(secondsSince1970: 1_000_000),
                continuous: ContinuousInstant(nanoseconds: 1_000_000_000_000),
                uptime: UptimeInstant(nanoseconds: 500_000_000_000)),
            boot: nil),
        phase: .active, conditions: DeviceConditions(network: .available))
    var history: [Event] = []
    var submitted = 0
    var withdrawn = 0
    var launched: Set<Int> = []
    var refused: Set<Int> = []
    var completed: Set<Int> = []
    var expired: Set<Int> = []
    var complaints: [String] = []

    init() {
        for name in ["refresh", "one", "two", "continued"] {
            try? machine.register(name) { _ in }
        }
    }

    mutating func perform(_ event: Event) {
        history.append(event)
        switch event {
        case .submitRefresh: submit("refresh", .refresh)
        case .submitRefreshLater: submit("refresh", .refresh, earliest: now.wall.advanced(by: .seconds(60)))
        case .submitProcessing: submit("one", .processing(requiresNetwork: true))
        case .submitOtherProcessing: submit("two", .processing())
        case .submitContinued: submit("continued", .continued(ContinuedJob(title: "t")))
        case .cancel:
            guard let first = machine.pending.first else { break }
            machine.cancel(first.request.identifier)
            withdrawn += 1
        case .complete: complete(machine.runs.first?.number)
        case .claimsExpire:
            for run in machine.runs { machine.backgroundTaskExpired(run.number) }
        case .refuse:
            guard let run = machine.runs.last else { break }
            if machine.pending.contains(where: { $0.request.identifier == run.request.identifier }) { withdrawn += 1 }
            machine.refused(run.number)
            refused.insert(run.number)
        case .changeNetwork:
            let isThere = now.conditions?.network == .available
            now.conditions?.network = isThere ? DeviceConditions.Network.none : .available
        case .changePhase:
            now.phase = now.phase == .active ? .background : .active
            if now.phase == .active { machine.enteredForeground() }
        case .passMinute:
            now.moment.clocks = ClockReading(
                wall: now.wall.advanced(by: .seconds(60)), continuous: now.continuous.advanced(by: .seconds(60)),
                uptime: now.uptime.advanced(by: .seconds(60)))
        }
        look()
    }

    private mutating func submit(
        _ identifier: String, _ kind: BackgroundJobRequest.Kind, earliest: WallInstant? = nil
    ) {
        let isReplacement = machine.pending.contains { $0.request.identifier == identifier }
        do {
            try machine.submit(
                BackgroundJobRequest(identifier, kind, earliestBegin: earliest), delay: .seconds(30), now: now)
            submitted += 1
            if isReplacement { withdrawn += 1 }
        } catch {
            complaints.append("\(error)")
        }
    }

    private mutating func complete(_ number: Int?) {
        guard let number else { return }
        require(machine.completed(number) != nil, "a run completes")
        require(machine.completed(number) == nil, "a run completes once")
        completed.insert(number)
    }

    private mutating func look() {
        let asks = machine.needsConditions(now)
        var blind = now
        if !asks { blind.conditions = nil }
        let former = machine.pending
        let plan = machine.look(blind)
        for launch in plan.launches {
            require(launched.insert(launch.number).inserted, "a run begins once")
            require(now.phase == .active, "nothing begins in the background")
            let pending = former.first { $0.request == launch.request }
            require(pending != nil, "what begins was pending")
            if launch.request.identifier == "one" {
                require(now.conditions?.network == .available, "a job that needs a network has one")
            }
            if case .wall(let instant)? = pending?.gate { require(instant <= now.wall, "nothing begins early") }
            if case .continuous(let instant)? = pending?.gate {
                require(instant <= now.continuous, "nothing begins before its part of the spread")
            }
        }
        for (number, _) in plan.expirations {
            require(expired.insert(number).inserted, "a run expires once")
            require(launched.contains(number), "what expires has begun")
        }
        require(plan.wall.map { $0 > now.wall } ?? true, "the next look is later (wall)")
        require(plan.continuous.map { $0 > now.continuous } ?? true, "the next look is later (continuous)")
        require(plan.uptime.map { $0 > now.uptime } ?? true, "the next look is later (uptime)")
        require(plan.followsPhase == !machine.pending.isEmpty, "the phase is followed while something is pending")
        if machine.pending.isEmpty {
            require(plan.wall == nil && plan.continuous == nil, "without a request there is no timer for one")
            if machine.runs.isEmpty {
                require(plan.uptime == nil && !plan.followsConditions, "without a run nothing is watched")
            }
        }
        invariants(plan)
    }

    private mutating func invariants(_ plan: HostBackgroundJobsMachine.Plan) {
        let identifiers = machine.pending.map(\.request.identifier)
        require(Set(identifiers).count == identifiers.count, "one request for each identifier")
        require(machine.pending.map(\.number) == machine.pending.map(\.number).sorted(), "in order")
        let running = machine.runs.map(\.request.identifier)
        require(Set(running).count == running.count, "one run for each identifier")
        require(!(running.contains("one") && running.contains("two")), "one processing job at once")
        require(
            submitted == withdrawn + machine.pending.count + launched.count - refused.count,
            "each request is pending, withdrawn or used once")
        require(
            Set(machine.runs.map(\.number)) == launched.subtracting(refused).subtracting(completed),
            "the runs are those that began and are not over")
        for identifier in identifiers {
            require(!machine.obstacles(of: identifier, at: now).isEmpty, "a waiting request has a reason")
        }
        // Examining the machine again at the same instant changes nothing.
        var copy = machine
        let again = copy.look(now)
        require(
            again.launches.isEmpty && again.expirations.isEmpty && again.deferrals.isEmpty, "a look settles everything")
    }

    private mutating func require(_ condition: Bool, _ rule: String) {
        if !condition { complaints.append(rule) }
    }
}
