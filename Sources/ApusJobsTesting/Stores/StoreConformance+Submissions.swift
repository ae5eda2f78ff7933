import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks of applications' submissions in their own transactions.
    static let submissions: [StoreCheck] = [
        StoreCheck(name: "submissions come back oldest first, at most as many as asked for, as they were submitted") {
            factory in
            let opened = try await Opened(factory)
            try expectEqual(try await opened.submissions(), [], "the submissions of a new store")
            var first = request("a")
            first.payload = Array(0...255)
            first.labels = ["é": "\"x\""]
            first.policies.overlap = .queue(limit: 3)
            first.idempotencyKey = "key"
            first.conflict = .refuse
            try await factory.submit(first, to: opened, at: instant(1))
            for id in ["b", "c"] { try await factory.submit(request(id), to: opened, at: instant(2)) }
            let found = try await opened.submissions()
            try expectEqual(found.map(\.command?.ids.first?.rawValue), ["a", "b", "c"], "identifiers")
            try expectEqual(found.map(\.submitted), [instant(1), instant(2), instant(2)], "instants")
            try expectEqual(found.first?.command, .submit([first]), "the request")
            try expectEqual(found.map(\.sequence), found.map(\.sequence).sorted(), "the order of sequences")
            try expectEqual(try await opened.submissions(limit: 2), Array(found.prefix(2)), "a page")
            try expectEqual(try await opened.allIDs(), [], "jobs")
        },
        StoreCheck(name: "a part takes its submission with it, once") { factory in
            let opened = try await Opened(factory)
            for id in ["a", "b"] { try await factory.submit(request(id), to: opened) }
            let (a, b) = try await opened.twoSubmissions()
            let results = try await opened.commit(
                [[opened.adding(sampleJob("a"))], []],
                taking: [a.taken(by: 0), b.taken(by: 1)])
            try expectEqual(try results[0].get().map(\.id.rawValue), ["a"], "the job")
            try expectEqual(try results[1].get(), [], "the jobs of a part without changes")
            try expectEqual(try await opened.submissions(), [], "submissions")
            let again = try await opened.commit(
                [[opened.adding(sampleJob("again"))], [opened.adding(sampleJob("beside"))]],
                taking: [a.taken(by: 0)])
            try expectRefused(again[0], .conflict, text: "a submission that was taken")
            try expectEqual(try again[1].get().count, 1, "the part beside it")
            try expectEqual(try await opened.allIDs(), ["a", "beside"], "jobs")
        },
        StoreCheck(name: "a refused part leaves its submission, and the others take theirs") { factory in
            let opened = try await Opened(factory)
            try await opened.add(sampleJob("taken"))
            for id in ["a", "b"] { try await factory.submit(request(id), to: opened) }
            let (a, b) = try await opened.twoSubmissions()
            let results = try await opened.commit(
                [
                    [opened.adding(sampleJob("new")), opened.adding(sampleJob("taken"))],
                    [opened.adding(sampleJob("b"))],
                ],
                taking: [a.taken(by: 0), b.taken(by: 1)])
            try expectRefused(results[0], .conflict, text: "the part with a taken identifier")
            try expectEqual(try results[1].get().count, 1, "the other part")
            try expectEqual(try await opened.submissions(), [a], "submissions")
            try expectEqual(try await opened.allIDs(), ["taken", "b"], "jobs")
        },
        StoreCheck(name: "submissions outlive their owner, and a sequence is not given again") { factory in
            let first = try await Opened(factory)
            try await factory.submit(request("a"), to: first)
            let a = try await first.submissions()[0]
            _ = try await first.commit([[]], taking: [a.taken(by: 0)])[0].get()
            try await factory.submit(request("b"), to: first)
            try await first.store.close(first.session)
            let second = try await Opened(try await factory.reopen(first.store))
            let found = try await second.submissions()
            try expectEqual(found.map(\.command?.ids.first?.rawValue), ["b"], "submissions")
            try expect(found[0].sequence > a.sequence, "\(found[0].sequence) after \(a.sequence)")
            try await second.store.close(second.session)
        },
        StoreCheck(name: "a former owner takes no submissions") { factory in
            let first = try await Opened(factory)
            try await factory.submit(request("a"), to: first)
            let a = try await first.submissions()[0]
            try await first.store.close(first.session)
            let second = try await Opened(try await factory.reopen(first.store))
            let turn = StoreTurn(parts: [[]], clock: sampleClock(), taken: [a.taken(by: 0)])
            try await expectError(.notOwner, text: "taking") {
                _ = try await second.store.commit(turn, in: first.session)[0].get()
            }
            try expectEqual(try await second.submissions(), [a], "submissions")
            try await second.store.close(second.session)
        },
        StoreCheck(name: "a submission is signalled to the owner, and closing ends the signals") { factory in
            let opened = try await Opened(factory)
            let signals = opened.store.signals(in: opened.session)
            try await factory.submit(request("a"), to: opened)
            try await opened.store.close(opened.session)
            var found: [StoreSignal] = []
            for await signal in signals { found.append(signal) }
            // The number of signals is not defined.
            try expect(!found.isEmpty && found.allSatisfy { $0 == .submissions }, "signals: \(found)")
        },
    ]

    /// The checks of submissions that are refused when they are taken.
    static let refusals: [StoreCheck] = [
        StoreCheck(name: "a refused submission is kept with its reason, the last one first, also for the next owner") {
            factory in
            let opened = try await Opened(factory)
            for number in 1...3 { try await factory.submit(request("job\(number)"), to: opened, at: instant(1)) }
            let found = try await opened.submissions()
            _ = try await opened.commit(
                [[], [opened.adding(sampleJob("job2"))], []],
                taking: found.enumerated().map { part, submission in
                    TakenSubmission(
                        submission.sequence, shard: submission.shard, part: part,
                        refusal: part == 1 ? nil : refusal(instant(Int64(5 + part))))
                })
            func check(_ store: any JobStore) async throws {
                let first = try await store.refusals(limit: 1, cursor: nil)
                try expectEqual(first.refusals.map(\.id), ["job3"], "the first page")
                let second = try await store.refusals(limit: 1, cursor: first.nextCursor)
                try expectEqual(second.refusals.map(\.id), ["job1"], "the second page")
                try expectEqual(second.nextCursor, nil, "the end")
                let refused = second.refusals[0]
                try expectEqual(refused.submitted, instant(1), "when it was submitted")
                try expectEqual(refused.sequence, found[0].sequence, "its number")
                try expectEqual(refused.refusal, refusal(instant(5)), "why")
            }
            try await check(opened.store)
            try expectEqual(try await opened.submissions(), [], "submissions")
            try await opened.store.close(opened.session)
            let second = try await Opened(try await factory.reopen(opened.store))
            try await check(second.store)
            try await second.store.close(second.session)
        },
        StoreCheck(name: "refused submissions are kept as long as ended jobs, and removed piece by piece") { factory in
            let opened = try await Opened(factory)
            for number in 1...4 { try await factory.submit(request("job\(number)"), to: opened) }
            let found = try await opened.submissions()
            _ = try await opened.commit(
                found.map { _ in [] },
                taking: found.enumerated().map { part, submission in
                    TakenSubmission(
                        submission.sequence, shard: submission.shard, part: part,
                        refusal: refusal(instant(part == 3 ? 90 : 10)))
                })
            func retire() async throws -> Bool {
                try await opened.store.retire(
                    keptUntil: instant(50), refusedBefore: instant(50), budget: 2, in: opened.session)
            }
            try expectEqual(try await retire(), true, "whether there are more after the first piece")
            try expectEqual(try await opened.store.refusals(limit: 9, cursor: nil).refusals.count, 2, "refusals")
            _ = try await retire()
            try expectEqual(
                try await opened.store.refusals(limit: 9, cursor: nil).refusals.map(\.id), ["job4"], "what is left")
        },
        StoreCheck(name: "a submission is not refused if the part that refuses it is not applied") { factory in
            let opened = try await Opened(factory)
            try await factory.submit(request("a"), to: opened)
            let a = try await opened.submissions()[0]
            let taken = (0...1).map { part in
                TakenSubmission(a.sequence, shard: a.shard, part: part, refusal: part == 0 ? nil : refusal(instant(1)))
            }
            let results = try await opened.commit([[], []], taking: taken)
            _ = try results[0].get()
            try expectRefused(results[1], .conflict, text: "the second part")
            try expectEqual(try await opened.store.refusals(limit: 9, cursor: nil).refusals, [], "refusals")
        },
    ]

    private static func refusal(_ instant: WallInstant) -> SubmissionRefusal {
        SubmissionRefusal(refused: instant, code: "alreadyExists", message: "there is a job 'é'")
    }

    private static func request(_ id: String) -> JobRequest { JobRequest(id: JobID(id), trigger: .after(.seconds(1))) }
}

extension StoreSubmission {
    fileprivate func taken(by part: Int) -> TakenSubmission { TakenSubmission(sequence, shard: shard, part: part) }
}

extension StoreFactory {
    fileprivate func submit(_ request: JobRequest, to opened: Opened, at now: WallInstant = instant(0)) async throws {
        guard let submit else { throw ConformanceFailure("the factory has no `submit`, which this check needs") }
        try await submit(opened.store, request, now)
    }
}

extension Opened {
    fileprivate func submissions(limit: Int = 100) async throws -> [StoreSubmission] {
        try await store.submissions(limit: limit, in: session)
    }

    fileprivate func twoSubmissions() async throws -> (StoreSubmission, StoreSubmission) {
        let found = try await submissions()
        try expectEqual(found.count, 2, "submissions")
        return (found[0], found[1])
    }

    fileprivate func commit(
        _ parts: [[JobChange]], taking taken: [TakenSubmission]
    ) async throws -> [Result<[Job], JobError>] {
        let results = try await store.commit(
            StoreTurn(parts: parts, clock: sampleClock(), taken: taken), in: session)
        try expectEqual(results.count, parts.count, "results")
        return results
    }
}
