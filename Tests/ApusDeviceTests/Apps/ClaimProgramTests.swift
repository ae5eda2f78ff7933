import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// Each program is run on a device of its own. The app's steps are handed to its main loop, so those that come while it
/// is suspended run when it is opened again.
@MainActor
@Suite("All short programs with background tasks")
struct ClaimProgramTests {
    enum Step: CaseIterable {
        case begin
        /// The oldest background task that is held, ended or not.
        case end
        /// The last reference to the oldest background task goes.
        case drop
        /// More time than the budget passes.
        case expire
        case home
        case open
    }

    /// All programs of a length, without steps that do nothing: to where the app is already, and with what it has not.
    /// An end says nothing of what is held, so an ended background task may be ended and dropped.
    private func programs(length: Int) -> [[Step]] {
        var programs: [[Step]] = [[]]
        for _ in 0..<length {
            programs = programs.flatMap { program in
                let isInFront = program.last { $0 == .home || $0 == .open } != .home
                let held = program.count { $0 == .begin } - program.count { $0 == .drop }
                return Step.allCases.filter { step in
                    switch step {
                    case .begin: true
                    case .end, .drop: held > 0
                    // In front nothing expires, and twice in a row nothing happens.
                    case .expire: !isInFront && program.last != .expire
                    case .home: isInFront
                    case .open: !isInFront
                    }
                }.map { program + [$0] }
            }
        }
        return programs
    }

    @Test(
        "in every order of up to six steps each background task is ended exactly once, and only dropped ones are faults"
    )
    func exhaustive() throws {
        let programs = programs(length: 6)
        #expect(programs.count > 1_000 && programs.count < 5_000, "\(programs.count)")
        for (number, program) in programs.enumerated() {
            let device = SimulatedDevice(seed: UInt64(number))
            let objections = run(program, on: device)
            if !objections.isEmpty { Issue.record("\(program): \(objections)\n\(device.logText)") }
        }
    }

    /// What is wrong after any step of a program, so that all shorter programs are covered too, or at its end.
    private func run(_ program: [Step], on device: SimulatedDevice) -> [String] {
        device.install { host in ClaimHolder(host) }
        device.launch()
        guard let app = device.app as? ClaimHolder else { return ["no app"] }
        var objections: [String] = []
        for step in program {
            take(step, with: app, on: device)
            device.advance(by: .milliseconds(300))
            if !device.claims.strayEnds.isEmpty { objections.append("ended twice after \(step)") }
        }
        device.open()
        app.host.mainLoop.run { app.endAll() }
        device.advance(by: .seconds(1))

        let claims = device.claims
        if claims.began != claims.ended { objections.append("began \(claims.began), ended \(claims.ended)") }
        if claims.began.values.contains(where: { $0 != 1 }) { objections.append("a name was granted twice") }
        if claims.began.count + claims.refused != app.begun { objections.append("neither granted nor refused") }
        if app.thrown != claims.refused { objections.append("\(app.thrown) errors, \(claims.refused) refusals") }
        if !device.ends.isEmpty { objections.append("ended: \(device.ends)") }
        if device.faults.contains(where: { $0.rule != .backgroundTaskDropped }) {
            objections.append("\(device.faults)")
        }
        if device.faults.count != app.droppedOpen { objections.append("\(device.faults.count) dropped") }
        return objections
    }

    private func take(_ step: Step, with app: ClaimHolder, on device: SimulatedDevice) {
        switch step {
        case .begin: app.host.mainLoop.run { app.begin() }
        case .end: app.host.mainLoop.run { app.end() }
        case .drop: app.host.mainLoop.run { app.dropFirst() }
        case .expire: device.advance(by: .seconds(31))
        case .home: device.pressHome()
        case .open: device.open()
        }
    }
}

/// An app that begins background tasks and releases them, as the program's steps say.
@MainActor
private final class ClaimHolder {
    let host: SimulatedHost
    /// In the order of their beginning; without a task, those that were refused.
    private var held: [(name: String, task: BackgroundTask?)] = []
    private(set) var begun = 0
    private(set) var thrown = 0
    /// How many were neither ended nor expired when they were dropped.
    private(set) var droppedOpen = 0
    private var open: Set<String> = []

    init(_ host: SimulatedHost) { self.host = host }

    func begin() {
        begun += 1
        let name = "background task \(begun)"
        do {
            let task = try host.beginBackgroundTask(named: name) { [weak self] in _ = self?.open.remove(name) }
            open.insert(name)
            held.append((name, task))
        } catch {
            thrown += 1
            held.append((name, nil))
        }
    }

    func end() {
        guard let (name, task) = held.first else { return }
        open.remove(name)
        task?.end()
    }

    func dropFirst() {
        guard !held.isEmpty else { return }
        let (name, _) = held.removeFirst()
        if open.remove(name) != nil { droppedOpen += 1 }
    }

    func endAll() {
        for (_, task) in held { task?.end() }
    }
}
