import ApusBackground
import ApusJobs

/// One step of a history; times are milliseconds.
///
/// Every step is valid in every situation, although it may have no effect there. A history therefore remains valid when
/// steps are removed from it.
indirect enum Step: Sendable, Hashable {
    enum Command: String, Sendable, Hashable, CaseIterable {
        case cancel, suspend, resume, runNow, query, retry, cancelRun, delete
    }

    /// A command for all jobs that match a query.
    enum Bulk: String, Sendable, Hashable, CaseIterable { case cancel, retry, delete }

    /// A fault of the store; a fault of commits occurs at each `every`th commit.
    enum Fault: Sendable, Hashable {
        case commitsFail(every: Int, isFull: Bool)
        /// The commits are applied, but the answer is an error.
        case answersLost(every: Int)
        case commitsHang(every: Int)
        case readsFail
    }

    /// The state of the device; `nil` is "unknown".
    struct Device: Sendable, Hashable {
        var network: Bool?
        var power: Bool?
        var idle: Bool?

        static let good = Device(network: true, power: true, idle: true)
        var conditions: DeviceConditions {
            DeviceConditions(
                network: network.map { $0 ? .available : .none }, isOnExternalPower: power, isIdle: idle)
        }
        /// The conditions that certainly do not hold.
        var unmet: JobConditions {
            var unmet: JobConditions = []
            if network == false { unmet.insert(.network) }
            if power == false { unmet.insert(.externalPower) }
            if idle == false { unmet.insert(.idle) }
            return unmet
        }
    }

    /// A change of a queue's settings; times are milliseconds.
    enum Setting: Sendable, Hashable {
        case paused(Bool)
        case concurrency(Int?)
        case concurrencyPerKey(Int?)
        case rate(Int, per: Int)
        case noRate
    }

    /// Submits these jobs in one call.
    case submit([JobPlan])
    /// Submits these jobs in a transaction of an application, whether a scheduler runs or not.
    case submitInTransaction([JobPlan])
    case command(Command, job: Int)
    /// Changes all jobs of a queue; if `queue` is `nil`, all jobs of all queues.
    case bulk(Bulk, queue: Int?)
    case configure(queue: Int, Setting)
    /// Issues all of these commands before any of them is carried out.
    case together([Step])
    case advance(Int)
    /// The machine sleeps.
    case sleep(Int)
    case moveWallClock(seconds: Int)
    case device(Device)
    case fault(Fault)
    /// The store works again, and hanging commits continue.
    case heal
    /// Lets hanging commits continue, the last one first if `isReversed`; a failing store is not repaired.
    case release(isReversed: Bool)
    /// Stops the scheduler; if `grace` is `nil`, it waits for its handlers without a limit.
    case stop(grace: Int?)
    case start
    /// Kills the process at rest, or after this number of pieces of work, counted from the next deadline.
    case kill(afterWork: Int?)
    /// Stops the process, as by SIGSTOP; `thaw` continues it.
    case freeze
    case thaw
    /// Another process opens the store while this process lives.
    case takeOver
}

extension Step {
    var plans: [JobPlan] {
        switch self {
        case .submit(let plans), .submitInTransaction(let plans): plans
        case .together(let steps): steps.flatMap(\.plans)
        case .command, .bulk, .configure, .advance, .sleep, .moveWallClock, .device, .fault, .heal, .release, .stop,
            .start, .kill, .freeze, .thaw, .takeOver:
            []
        }
    }

    /// Returns the same step with other plans.
    func withPlans(_ change: (JobPlan) -> JobPlan) -> Step {
        switch self {
        case .submit(let plans): .submit(plans.map(change))
        case .submitInTransaction(let plans): .submitInTransaction(plans.map(change))
        case .together(let steps): .together(steps.map { $0.withPlans(change) })
        case .command, .bulk, .configure, .advance, .sleep, .moveWallClock, .device, .fault, .heal, .release, .stop,
            .start, .kill, .freeze, .thaw, .takeOver:
            self
        }
    }
}

extension Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .submit(let plans): "submit " + plans.map(\.description).joined(separator: "\n            and ")
        case .submitInTransaction(let plans):
            "an application submits " + plans.map(\.description).joined(separator: "\n            and ")
        case .command(let command, let job): "\(command.rawValue) job\(job)"
        case .bulk(let bulk, let queue): "\(bulk.rawValue) all jobs\(queue.map { " of queue \($0)" } ?? "")"
        case .configure(let queue, let setting): "queue \(queue): \(setting)"
        case .together(let steps): "at once: " + steps.map(\.description).joined(separator: "\n        | ")
        case .advance(let time): "let \(seconds(Int64(time))) pass"
        case .sleep(let time): "the machine sleeps for \(seconds(Int64(time)))"
        case .moveWallClock(let seconds):
            "the wall clock is set \(seconds < 0 ? "back" : "forward") by \(abs(seconds)) s"
        case .device(let device):
            "the device: network \(known(device.network)), power \(known(device.power)), idle \(known(device.idle))"
        case .fault(.commitsFail(let every, let isFull)):
            "the store \(isFull ? "is full" : "fails") at \(ordinal(every)) commit"
        case .fault(.answersLost(let every)): "the store loses its answer at \(ordinal(every)) commit"
        case .fault(.commitsHang(let every)): "the store hangs at \(ordinal(every)) commit"
        case .fault(.readsFail): "the store's reads fail"
        case .heal: "the store works again"
        case .release(let isReversed): "hanging commits continue\(isReversed ? ", the last one first" : "")"
        case .stop(let grace): "stop, \(grace.map { "grace \(seconds(Int64($0)))" } ?? "without a limit")"
        case .start: "start"
        case .kill(nil): "the process is killed"
        case .kill(let work?):
            "the process is killed \(work) pieces of work after the next deadline"
        case .freeze: "the process is frozen"
        case .thaw: "frozen processes continue"
        case .takeOver: "another process takes the store"
        }
    }

    private func known(_ value: Bool?) -> String { value.map { $0 ? "yes" : "no" } ?? "unknown" }
    private func ordinal(_ every: Int) -> String { every == 1 ? "every" : "each \(every)th" }
}

/// A configuration and the steps that follow.
struct History: Sendable, Hashable, CustomStringConvertible {
    /// The seed of the scheduler's random numbers.
    var seed: UInt64
    var maximumLoaded = 10_000
    var maximumConcurrentRuns = 256
    /// The horizon in seconds.
    var horizon = 60
    /// The process's own limit of simultaneous runs of queue 0.
    var ownConcurrency: Int?
    /// The number of initial jobs whose rows cannot be read.
    var unreadable = 0
    var steps: [Step] = []

    var description: String {
        let left = unreadable > 0 ? "\(unreadable) jobs that cannot be read, and " : ""
        let own = ownConcurrency.map { ", \($0) of them of queue 0" } ?? ""
        let head =
            left
            + "a scheduler with at most \(maximumConcurrentRuns) runs at once\(own), \(maximumLoaded) jobs loaded, "
            + "a horizon of \(horizon) s; then\n"
        return head
            + steps.enumerated().map { number, step in "  \(number + 1). \(step)" }.joined(separator: "\n")
    }
}
