import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Queues")
struct QueueTests {
    private func request(
        _ id: String, kind: String = "work", after seconds: Double = 1, queue: QueueID = .default,
        priority: JobPriority = .normal
    ) -> JobRequest {
        JobRequest(
            id: JobID(id), kind: kind, trigger: .after(.seconds(seconds)), queue: queue, priority: priority)
    }

    private func configure(_ harness: SchedulerHarness, _ queue: QueueID, _ changes: JobQueue.Change...) throws {
        _ = try harness.perform { try await $0.configure(queue: queue, changes) }
    }

    @Test("a paused queue's jobs in the store are loaded when it is resumed, even if those that waited have ended")
    func leftInStore() throws {
        let harness = try SchedulerHarness(
            configuration: .init(horizon: .seconds(20), maximumLoaded: 2, bootID: "boot"))
        func submit(_ seconds: Double) throws {
            let request = JobRequest(
                id: "job", kind: "work", trigger: .every(.seconds(seconds), anchoredAt: harness.at(0)), queue: "disk",
                conflict: .replace)
            _ = try harness.perform { try await $0.submit(request) }
        }
        _ = try harness.perform { try await $0.configure(queue: "disk", [.paused(true)]) }
        try submit(1)
        _ = try harness.perform { try await $0.runNow("job") }
        try submit(30)
        harness.advance(15)
        _ = try harness.perform { try await $0.configure(queue: "disk", [.paused(false)]) }
        harness.advance(50)
        #expect(harness.calls.seconds == [30, 60])
    }

    @Test("a queue has no more runs at once than its limit, and other queues are not held up")
    func concurrency() throws {
        let harness = try SchedulerHarness()
        try configure(harness, "mail", .concurrency(2))
        try harness.perform { scheduler in
            for number in 0..<5 {
                try await scheduler.submit(request("mail\(number)", kind: "slow", queue: "mail"))
            }
            try await scheduler.submit(request("other"))
        }
        harness.advance(2)
        #expect(harness.calls.all.map(\.job) == ["mail0", "other", "mail1"])
        #expect(
            harness.scheduler.queues().filter { $0.queue.id == "mail" }
                == [QueueStatus(queue: JobQueue(id: "mail", concurrency: 2), runningCount: 2, waitingCount: 3)])
        harness.advance(40)
        #expect(harness.calls.all.filter { $0.job.hasPrefix("mail") }.map(\.second) == [1, 1, 11, 11, 21])
    }

    @Test("a scheduler has no more runs of a queue than its own limit, whichever limit is the lower one")
    func ownConcurrency() throws {
        for (own, shared, seconds) in [(2, nil, [1, 1, 11]), (2, 1, [1, 11, 21]), (1, 2, [1, 11, 21])]
            as [(Int, Int?, [Double])]
        {
            let harness = try SchedulerHarness(configuration: .init(queueConcurrency: ["mail": own], bootID: "boot"))
            try configure(harness, "mail", .concurrency(shared))
            try harness.perform { scheduler in
                for number in 0..<3 {
                    try await scheduler.submit(request("mail\(number)", kind: "slow", queue: "mail"))
                }
                try await scheduler.submit(request("other"))
            }
            harness.advance(2)
            let why = try harness.perform { try await $0.explain("mail2") }.decisions
            #expect(why.contains { $0.code == (shared == 1 ? .queueFull : .noPlace) }, "\(why)")
            harness.advance(40)
            #expect(harness.calls.all.filter { $0.job.hasPrefix("mail") }.map(\.second) == seconds)
            #expect(harness.calls.all.first { $0.job == "other" }?.second == 1)
        }
    }

    @Test("raising a limit begins waiting runs at once, and lowering it ends none")
    func changedLimit() throws {
        let harness = try SchedulerHarness()
        try configure(harness, "mail", .concurrency(1))
        try harness.perform { scheduler in
            for number in 0..<4 {
                try await scheduler.submit(request("mail\(number)", kind: "slow", queue: "mail"))
            }
        }
        harness.advance(2)
        try configure(harness, "mail", .concurrency(3))
        harness.advance(0)
        #expect(harness.calls.seconds == [1, 2, 2])
        try configure(harness, "mail", .concurrency(1))
        harness.advance(11)
        #expect(harness.calls.seconds == [1, 2, 2, 12])
    }

    @Test("a job that is moved to a paused queue when it is due waits there")
    func moved() throws {
        let harness = try SchedulerHarness()
        try configure(harness, "mail", .paused(true))
        try harness.submit(.after(.seconds(5)), conflict: .update)
        harness.store.fail(.hold)
        let scheduler = harness.scheduler
        let other = harness.time.start { _ = try await scheduler.submit(self.request("other", after: 60)) }
        harness.advance(6)
        // The store is slow, so that the move and the due instant fall into one turn.
        let move = harness.time.start {
            let request = JobRequest(
                id: "job", kind: "work", trigger: .after(.seconds(5)), queue: "mail", conflict: .update)
            _ = try await scheduler.submit(request)
        }
        harness.advance(1)
        harness.store.fail(nil)
        harness.store.release()
        for task in [other, move] { try harness.time.perform { try await task.value } }
        harness.advance(1)
        #expect(harness.calls.seconds == [])
        #expect(
            scheduler.queues() == [
                QueueStatus(queue: JobQueue(id: "mail", isPaused: true), runningCount: 0, waitingCount: 1)
            ])
        try configure(harness, "mail", .paused(false))
        harness.advance(1)
        #expect(harness.calls.seconds == [8])
        try harness.check()
    }

    @Test("no run of a paused queue begins until it is resumed, also after a restart")
    func paused() throws {
        let harness = try SchedulerHarness()
        _ = try harness.perform { try await $0.submit(request("mail", queue: "mail")) }
        try configure(harness, "mail", .paused(true))
        harness.advance(10)
        try harness.crash()
        harness.advance(10)
        #expect(harness.calls.all.isEmpty)
        try configure(harness, "mail", .paused(false))
        harness.advance(0)
        #expect(harness.calls.seconds == [20])
    }

    @Test("no more runs of a queue begin within its period than its rate allows, also over a restart")
    func rate() throws {
        let harness = try SchedulerHarness()
        try configure(harness, "mail", .rate(QueueRate(runs: 2, per: .seconds(10))))
        try harness.perform { scheduler in
            for number in 0..<7 { try await scheduler.submit(request("mail\(number)", queue: "mail")) }
        }
        harness.advance(5)
        #expect(harness.calls.seconds == [1, 1])
        #expect(harness.time.pendingTimerCount == 1)
        try harness.crash()
        harness.advance(5.5)
        #expect(harness.calls.seconds == [1, 1])
        harness.advance(4)
        #expect(harness.calls.seconds == [1, 1, 11, 11])
        // Setting the wall clock changes nothing, either before or after a restart.
        harness.time.moveWallClock(by: .seconds(3_600))
        try harness.crash()
        harness.advance(20)
        #expect(harness.calls.seconds == [1, 1, 11, 11, 3_621, 3_621, 3_631])
    }

    @Test("a rate holds over a restart, also if the wall clock is set before it", arguments: [3_600.0, -3_600])
    func rateAndClock(_ step: Double) throws {
        let harness = try SchedulerHarness()
        try configure(harness, "mail", .rate(QueueRate(runs: 2, per: .seconds(10))))
        try harness.perform { scheduler in
            for number in 0..<4 { try await scheduler.submit(request("mail\(number)", queue: "mail")) }
        }
        harness.advance(5)
        try harness.crash { _ in harness.time.moveWallClock(by: .seconds(step)) }
        harness.advance(5.5)
        #expect(harness.calls.seconds == [1, 1])
        harness.advance(4)
        #expect(harness.calls.seconds == [1, 1, 11 + step, 11 + step])
    }

    @Test("a higher priority goes first, and every fourth place goes to the earliest due")
    func priority() throws {
        let harness = try SchedulerHarness()
        try configure(harness, .default, .concurrency(1), .paused(true))
        try harness.perform { scheduler in
            try await scheduler.submit(request("low", after: 1, priority: .low))
            for number in 0..<6 {
                try await scheduler.submit(request("high\(number)", after: 2, priority: .high))
            }
            try await scheduler.submit(request("urgent", after: 3, priority: .urgent))
        }
        harness.advance(5)
        try configure(harness, .default, .paused(false))
        harness.advance(1)
        #expect(
            harness.calls.all.map(\.job) == ["urgent", "high0", "high1", "low", "high2", "high3", "high4", "high5"])
    }

    @Test("a job that is given another queue and priority waits there")
    func movedJob() throws {
        let harness = try SchedulerHarness()
        try configure(harness, "mail", .paused(true))
        _ = try harness.perform { try await $0.submit(request("mail", queue: "mail")) }
        harness.advance(5)
        var moved = request("mail", queue: "express", priority: .urgent)
        moved.conflict = .update
        _ = try harness.perform { [moved] in try await $0.submit(moved) }
        harness.advance(0)
        #expect(harness.calls.seconds == [5])
        #expect(harness.scheduler.queues().map(\.queue.id) == ["mail"])
        #expect(harness.scheduler.queues().map(\.waitingCount) == [0])
    }

    @Test("queues without settings are forgotten when none of their jobs runs or waits")
    func forgotten() throws {
        let harness = try SchedulerHarness()
        try harness.perform { scheduler in
            for number in 0..<50 { try await scheduler.submit(request("\(number)", queue: QueueID("queue\(number)"))) }
            try await scheduler.submit(request("slow", kind: "slow", queue: "slow"))
        }
        try configure(harness, "mail", .concurrency(1))
        harness.advance(2)
        #expect(harness.calls.all.count == 51)
        #expect(harness.scheduler.queues().map(\.queue.id) == ["mail", "slow"])
        harness.advance(20)
        try configure(harness, "mail", .concurrency(nil))
        #expect(harness.scheduler.queues().isEmpty)
    }

    @Test("queues have their turn one after another, however long one of them is")
    func turns() throws {
        let harness = try SchedulerHarness(configuration: .init(maximumConcurrentRuns: 1, bootID: "boot"))
        try harness.perform { scheduler in
            for number in 0..<3 { try await scheduler.submit(request("a\(number)", queue: "a")) }
            for number in 0..<3 { try await scheduler.submit(request("b\(number)", after: 1.5, queue: "b")) }
            try await scheduler.submit(request("block", kind: "slow", after: 0.5))
        }
        harness.advance(20)
        #expect(harness.calls.all.map(\.job) == ["block", "a0", "b0", "a1", "b1", "a2", "b2"])
    }

    @Test("a long paused queue keeps no other queue out of memory")
    func fullLane() throws {
        let harness = try SchedulerHarness(configuration: .init(maximumLoaded: 8, bootID: "boot"))
        try configure(harness, "mail", .paused(true))
        try harness.perform { scheduler in
            try await scheduler.submit((0..<30).map { request("mail\($0)", after: 100, queue: "mail") })
            try await scheduler.submit(request("other", after: 200))
            try await scheduler.submit(request("urgent", after: 210, queue: "mail", priority: .urgent))
        }
        harness.advance(205)
        #expect(harness.calls.seconds == [200])
        harness.advance(10)
        try configure(harness, "mail", .paused(false))
        harness.advance(30)
        #expect(harness.calls.all.count == 32)
        #expect(harness.calls.all[1].job == "urgent")
    }

    @Test("queues that cannot keep up do not starve another one, and a job of theirs says what it waits for")
    func fullLanes() throws {
        let harness = try SchedulerHarness(configuration: .init(maximumLoaded: 40, bootID: "boot"))
        for queue in 0..<5 { try configure(harness, QueueID("queue\(queue)"), .concurrency(1)) }
        try harness.perform { scheduler in
            for queue in 0..<5 {
                let jobs = (0..<30).map {
                    request("job\(queue).\($0)", kind: "slow", after: 1, queue: QueueID("queue\(queue)"))
                }
                try await scheduler.submit(jobs)
            }
        }
        harness.advance(5)
        try harness.crash()
        try harness.submit("tick", .every(.seconds(2)))
        harness.advance(60)
        #expect(harness.calls.all.count { $0.job == "tick" } == 30)
        let why = try harness.perform { try await $0.explain("job0.29") }
        #expect(why.decisions.contains { $0.code == .queued && $0.text.contains("in parts") }, "\(why)")
        harness.advance(400)
        #expect(Set(harness.calls.all.map(\.job)).count == 5 * 30 + 1)
    }

    @Test("jobs that cannot run take no room in memory, however many they are", arguments: [true, false])
    func held(afterRestart: Bool) throws {
        let harness = try SchedulerHarness(configuration: .init(maximumLoaded: 40, bootID: "boot"))
        try configure(harness, "mail", .paused(true))
        let delay: Double = afterRestart ? 1 : 0
        try harness.perform { scheduler in
            try await scheduler.submit((0..<200).map { request("strange\($0)", kind: "strange", after: delay) })
            try await scheduler.submit((0..<200).map { request("mail\($0)", after: delay, queue: "mail") })
        }
        if afterRestart { try harness.crash() }
        harness.advance(5)
        try harness.submit("tick", .every(.seconds(2)))
        harness.advance(60)
        #expect(harness.calls.all.count == 30)
        let waiting = harness.scheduler.queues().first { $0.queue.id == "mail" }?.waitingCount ?? 0
        #expect((1...JobLoad.largestHeldShare).contains(waiting))
        let why = try harness.perform { try await $0.explain("strange150") }
        #expect(why.decisions.contains { $0.code == .parked }, "\(why)")
        let (calls, time) = (harness.calls, harness.time)
        harness.scheduler.register("strange") { try await calls.run("strange", $0, time) }
        try configure(harness, "mail", .paused(false))
        harness.advance(60)
        #expect(harness.calls.all.count { $0.job.hasPrefix("strange") } == 200)
        #expect(harness.calls.all.count { $0.job.hasPrefix("mail") } == 200)
    }

    @Test("jobs that are all too late after a restart are all skipped")
    func skippedLanes() throws {
        let harness = try SchedulerHarness(configuration: .init(maximumLoaded: 40, bootID: "boot"))
        var policies = JobPolicies(missedRuns: .skip)
        policies.grace = .seconds(1)
        for number in 0..<100 { try harness.submit("job\(number)", .after(.seconds(100)), policies) }
        harness.store.kill()
        harness.time.advance(by: .seconds(200))
        try harness.crash()
        harness.advance(30)
        #expect(harness.calls.all.isEmpty)
        #expect(try harness.perform { try await $0.count(JobQuery(states: [.finished])) } == 100)
    }

    @Test("invalid queue settings are refused by their argument's name")
    func refused() throws {
        let harness = try SchedulerHarness()
        let refused: [(QueueID, JobQueue.Change, String)] = [
            ("mail", .concurrency(0), "concurrency: must be 1 to 100000, not 0"),
            ("mail", .rate(QueueRate(runs: 0, per: .seconds(1))), "rate: must be 1 to 100000 runs, not 0"),
            ("mail", .rate(QueueRate(runs: 1, per: .zero)), "rate: the period must be 1 ms or longer"),
            ("a b", .paused(true), "queue: must be 1 to 64 ASCII letters"),
            ("", .paused(true), "queue: must be 1 to 64 ASCII letters"),
        ]
        for (queue, change, message) in refused {
            let error = #expect(throws: JobError.self) { try configure(harness, queue, change) }
            #expect(error?.code == .invalid && error?.message.hasPrefix(message) == true, "\(error as Any)")
        }
        #expect(throws: JobError.self) { try harness.perform { try await $0.submit(request("a", queue: "ä")) } }
    }

    @Test("the settings of a queue are refused while the store fails, and stay as they were")
    func storeFails() throws {
        let harness = try SchedulerHarness()
        try configure(harness, "mail", .concurrency(3))
        harness.store.fail(.before(JobError(code: .full, message: "no space")))
        let error = #expect(throws: JobError.self) { try configure(harness, "mail", .concurrency(4)) }
        #expect(error?.code == .full)
        #expect(harness.scheduler.queues().map(\.queue.concurrency) == [3])
    }
}
