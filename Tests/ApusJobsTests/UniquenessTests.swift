import ApusJobs
import ApusJobsTesting
import ApusTimers
import ApusVirtualTime
import Testing

@Suite("Jobs that are unique by kind and payload")
struct UniquenessTests {
    private func request(
        _ id: String, after seconds: Double = 10, payload: [UInt8] = [1], within period: Duration? = nil,
        _ conflict: ConflictPolicy = .keep
    ) -> JobRequest {
        JobRequest(
            id: JobID(id), kind: "work", trigger: .after(.seconds(seconds)), payload: payload,
            uniqueness: .payload(within: period), conflict: conflict)
    }

    private func submit(_ harness: SchedulerHarness, _ requests: JobRequest...) throws -> [String] {
        try harness.perform { try await $0.submit(requests) }.map(\.id.rawValue)
    }

    @Test("an active job with the same kind and payload is kept, updated or replaced, or the submission is refused")
    func policies() throws {
        let harness = try SchedulerHarness()
        #expect(try submit(harness, request("a")) == ["a"])
        #expect(try submit(harness, request("b")) == ["a"])
        #expect(try submit(harness, request("c", payload: [2])) == ["c"])
        var update = request("d", .update)
        update.name = "new name"
        #expect(try submit(harness, update) == ["a"])
        #expect(try harness.job("a").request.name == "new name")
        let error = #expect(throws: JobError.self) { try submit(harness, request("e", .refuse)) }
        #expect(error?.code == .alreadyExists)
        #expect(try submit(harness, request("f", .replace)) == ["f"])
        #expect(try harness.job("a").state == .cancelled)
        #expect(try submit(harness, request("g")) == ["f"])
    }

    @Test("with a uniqueness key, payloads are not compared, and the answer names what is equal")
    func keys() throws {
        let harness = try SchedulerHarness()
        @Sendable func keyed(
            _ id: String, _ number: UInt8, key: String = "17", _ conflict: ConflictPolicy = .keep
        ) -> JobRequest {
            var request = request(id, payload: [number], conflict)
            request.uniqueness = .key(key, within: .seconds(60))
            return request
        }
        #expect(try submit(harness, keyed("a", 1)) == ["a"])
        #expect(try submit(harness, keyed("b", 2)) == ["a"])
        #expect(try submit(harness, keyed("c", 1, key: "18")) == ["c"])
        #expect(try submit(harness, request("d", payload: [1])) == ["d"], "of a payload, no job with a key is the same")
        #expect(try submit(harness, keyed("e", 3, .update)) == ["a"])
        #expect(try harness.job("a").request.payload == [3])
        let two = #expect(throws: JobError.self) {
            try submit(harness, keyed("f", 1, key: "9"), keyed("g", 2, key: "9"))
        }
        #expect(
            two?.code == .invalid
                && two?.message.hasPrefix("uniqueness.key: two of the requests have the same kind") == true)
        harness.advance(20)
        #expect(try harness.perform { try await $0.submit(keyed("h", 4)) }.outcome == .joined)
        let refused = #expect(throws: JobError.self) { try submit(harness, keyed("i", 5, .refuse)) }
        #expect(
            refused?.message.contains("job a had the same kind and uniqueness key and was submitted within") == true)
        harness.advance(60)
        #expect(try submit(harness, keyed("j", 6)) == ["j"])
        for key in ["", String(repeating: "x", count: 1_021)] {
            let error = #expect(throws: JobError.self) { try submit(harness, keyed("k", 1, key: key)) }
            #expect(
                error?.code == .invalid && error?.message.contains("uniqueness.key: must be 1 to 1020 bytes") == true)
        }
    }

    @Test("a kind decides which part of its payload is compared")
    func kinds() throws {
        struct Invoice: JobPayload {
            static let kind = "invoice"
            static let defaults = JobDefaults(uniqueness: .payload(within: .seconds(60)), conflict: .keep)
            var number: Int
            var note: String
            var uniquenessKey: String? { number == 0 ? nil : "\(number)" }
        }
        #expect(try JobRequest(Invoice(number: 17, note: "a")).uniqueness == .key("17", within: .seconds(60)))
        #expect(try JobRequest(Invoice(number: 17, note: "a"), uniqueness: .payload()).uniqueness == .key("17"))
        #expect(try JobRequest(Invoice(number: 0, note: "a")).uniqueness == .payload(within: .seconds(60)))
        #expect(try JobRequest(Invoice(number: 17, note: "a"), uniqueness: .identifier).uniqueness == .identifier)
        #expect(try JobRequest(Invoice(number: 17, note: "a"), uniqueness: .key("x")).uniqueness == .key("x"))
    }

    @Test("one of many simultaneous submissions creates the job, and the others return it")
    func atOnce() throws {
        let harness = try SchedulerHarness()
        let ids = try harness.perform { scheduler in
            try await withThrowingTaskGroup(of: JobID.self) { group in
                for number in 0..<20 { group.addTask { try await scheduler.submit(request("job\(number)")).id } }
                return try await group.reduce(into: Set<JobID>()) { $0.insert($1) }
            }
        }
        #expect(ids.count == 1)
        harness.advance(20)
        #expect(harness.calls.all.count == 1)
    }

    @Test("far jobs outside memory also count, and do so after a restart")
    func farJobs() throws {
        let harness = try SchedulerHarness()
        #expect(try submit(harness, request("a", after: 10_000)) == ["a"])
        #expect(try submit(harness, request("b")) == ["a"])
        try harness.crash()
        #expect(try submit(harness, request("c")) == ["a"])
    }

    @Test("an ended job counts for the period from its submission")
    func period() throws {
        let harness = try SchedulerHarness()
        #expect(try submit(harness, request("a", after: 1)) == ["a"])
        harness.advance(5)
        #expect(try submit(harness, request("b", after: 1, within: .seconds(60))) == ["a"])
        #expect(try submit(harness, request("c", after: 1, within: .seconds(60), .update)) == ["a"])
        let error = #expect(throws: JobError.self) {
            try submit(harness, request("d", within: .seconds(60), .refuse))
        }
        #expect(error?.code == .alreadyExists)
        #expect(try submit(harness, request("e", after: 1, within: .seconds(5))) == ["e"])
        harness.advance(60)
        #expect(try submit(harness, request("f", after: 1, within: .seconds(60))) == ["f"])
    }

    @Test("without a period, an ended job no longer counts")
    func ended() throws {
        let harness = try SchedulerHarness()
        #expect(try submit(harness, request("a", after: 1)) == ["a"])
        harness.advance(5)
        #expect(try submit(harness, request("b", after: 1)) == ["b"])
    }

    @Test("an ended job's identifier blocks no submission")
    func freeIdentifier() throws {
        let harness = try SchedulerHarness()
        #expect(try submit(harness, request("a")) == ["a"])
        #expect(try submit(harness, request("b", .replace)) == ["b"])
        #expect(try submit(harness, request("a")) == ["b"])
        #expect(try submit(harness, request("a", .update)) == ["b"])
        #expect(try submit(harness, request("a", .replace)) == ["a"])
    }

    @Test("a job counts for its period also while its end is not yet written")
    func endsMeanwhile() throws {
        for conflict in ConflictPolicy.allCases {
            let harness = try SchedulerHarness()
            var job = request("a", after: 1)
            job.kind = "slow"
            #expect(try submit(harness, job) == ["a"])
            harness.advance(5)
            harness.store.fail(.before(JobError(code: .full, message: "it is full")))
            harness.advance(9)
            harness.store.fail(nil)
            var again = request("b", after: 1, within: .seconds(60), conflict)
            again.kind = "slow"
            switch conflict {
            case .keep, .update: #expect(try submit(harness, again) == ["a"])
            case .replace: #expect(try submit(harness, again) == ["b"])
            case .refuse:
                let error = #expect(throws: JobError.self) { try submit(harness, again) }
                #expect(error?.code == .alreadyExists)
            }
            harness.advance(20)
            #expect(try harness.history("a") == ["1 succeeded"], "\(conflict)")
            #expect(try harness.job("a").state == .finished)
            #expect(harness.calls.all.count == (conflict == .replace ? 2 : 1))
            try harness.check("a")
        }
    }

    @Test("a submission that meets a doubtful job is answered while the store fails, also if the clock was set")
    func meetsUnknown() throws {
        let harness = try SchedulerHarness()
        _ = try submit(harness, request("a", after: 1))
        harness.store.fail(.before(JobError(code: .unavailable, message: "it fails")))
        harness.advance(1)
        harness.time.moveWallOnly(by: .seconds(3_600))
        let code = Locked<JobError.Code?>(nil)
        harness.time.start { [scheduler = harness.scheduler, request = request("b", .update)] in
            do { _ = try await scheduler.submit(request) } catch { code.withLock { $0 = (error as? JobError)?.code } }
        }
        var pieces = 0
        while pieces < 10_000, harness.time.runOne() { pieces += 1 }
        #expect(pieces < 10_000)
        #expect(code.withLock { $0 } == .unavailable)
        harness.store.fail(nil)
        harness.advance(3)
        #expect(try harness.history("a") == ["1 succeeded"])
    }

    @Test("a submission that meets a job whose own answer was lost updates it")
    func meetsUnseen() throws {
        let harness = try SchedulerHarness()
        _ = try submit(harness, request("a"))
        let commits = harness.store.commits
        harness.store.faults {
            $0 == commits ? .after(JobError(code: .unavailable, message: "the answer is lost")) : nil
        }
        var update = request("b", within: .seconds(60), .update)
        update.name = "second"
        #expect(throws: JobError.self) { try submit(harness, request("a", .replace)) }
        // The next submission is answered at once, during the pause after the failure.
        #expect(try submit(harness, update) == ["a"])
        let jobs = try harness.perform { try await $0.jobs(JobQuery()) }.jobs
        #expect(jobs.map(\.state) == [.cancelled, .scheduled] && jobs.map(\.request.name) == [nil, "second"])
    }

    @Test("an identifier of one job and a payload of another are refused together")
    func twoJobs() throws {
        let harness = try SchedulerHarness()
        _ = try submit(harness, request("a"), request("b", payload: [2]))
        let error = #expect(throws: JobError.self) { try submit(harness, request("b", payload: [1], .update)) }
        #expect(error?.code == .alreadyExists)
        let twice = #expect(throws: JobError.self) {
            try submit(harness, request("c", payload: [3]), request("d", payload: [3]))
        }
        #expect(twice?.code == .invalid)
    }

    @Test("a job cancelled in the same turn does not count as existing")
    func cancelledMeanwhile() throws {
        let harness = try SchedulerHarness()
        _ = try submit(harness, request("a"))
        let id = try harness.perform { scheduler in
            async let cancelled = scheduler.cancel("a")
            async let submitted = scheduler.submit(request("b"))
            _ = try await cancelled
            return try await submitted.id
        }
        let live = try harness.perform { try await $0.jobs(JobQuery(states: [.scheduled])) }.jobs.map(\.id)
        #expect(live == [id] || (live.isEmpty && id == "a"))
        try harness.check("a")
    }
}
