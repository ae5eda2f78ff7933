import ApusBackground
import ApusDevice
import ApusTimers
import Testing

/// All short programs of steps with background tasks, each on a device of its own.
///
/// The app runs its steps on its main loop, so the steps of a suspended app run when the app is opened again.
@MainActor
@Suite("All short programs with background tasks")
struct ClaimProgramTests {
    enum Step: CaseIterable {
        case begin
        /// Ends the oldest background task that is held, whether or not it has ended before.
        case end
        /// Releases the last reference to the oldest background task.
        case drop
        /// Lets more time pass than the budget for the background.
        case expire
        case home
        case open
    }

    /// Returns all programs of a length, without steps that would do nothing.
    ///
    /// The app holds a background task until it drops the task, even after the task has ended. Therefore a later step
    /// may end the task again.
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
                    // In the foreground no task expires, and a second expiration in a row does nothing.
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
        "in every order of up to six steps, each background task ends once, and only dropped ones are faults"
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

    /// Runs a program, and returns the problems after each step and at the end.
    ///
    /// Because each step is checked, all shorter programs are covered too.
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

/// An app that begins, ends and releases background tasks, as the program's steps say.
@MainActor
private final class ClaimHolder {
    let host: SimulatedHost
    /// The background tasks, in the order in which they began; `nil` for those that were refused.
    private var held: [(name: String, task: BackgroundTask?)] = []
    private(set) var begun = 0
    private(set) var thrown = 0
    /// The number of tasks that were neither ended nor expired when they were dropped.
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
