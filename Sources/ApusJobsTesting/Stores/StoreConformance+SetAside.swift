import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks of jobs that are set aside.
    ///
    /// The checks set aside jobs whose rows can be read, because the effect of setting a job aside does not depend on
    /// its row.
    static let setAside: [StoreCheck] = [
        StoreCheck(name: "a job that is set aside does not change, and is not due again before the next owner") {
            factory in
            let opened = try await Opened(factory)
            for (number, trigger) in triggers.enumerated() {
                try await opened.add(
                    sampleJob("bad\(number)", wake: 5, trigger: trigger),
                    runs: [sampleRun(sampleJob("bad\(number)"), 1, state: .running) { $0.claimed = instant(60) }])
            }
            try await opened.add(sampleJob("good", wake: 7))
            let before = try await opened.bad()
            try await opened.setAside(before)
            let due = try await opened.due()
            try expectEqual(due.jobs.map(\.job.id), ["good"], "what is due")
            try expectEqual(due.unreadable, [], "what is due and cannot be read")
            try expectEqual(due.next, nil, "when more is due")
            let (interrupted, anchored) = (
                try await opened.store.interrupted(after: 0, limit: 9, in: opened.session),
                try await opened.store.anchored(after: 0, limit: 9, in: opened.session)
            )
            try expectEqual(interrupted, [], "interrupted jobs")
            try expectEqual(anchored, [], "anchored jobs")
            for (found, job) in zip(try await opened.bad(), before) {
                var expected = job
                (expected.bookkeeping.wake, expected.bookkeeping.elapsedWake) = (nil, nil)
                try expectEqual(found, expected, "the job")
            }
            try await opened.expectSetAside(before)
            // The job is set aside again, as after a commit whose answer was lost.
            try await opened.setAside(before)
            try await opened.expectSetAside(before)
            try await opened.store.close(opened.session)

            let second = try await Opened(try await factory.reopen(opened.store))
            try expectEqual(
                try await second.due().jobs.map(\.job.id.rawValue).sorted(), ["bad0", "bad1", "good"], "what is due")
            try expectEqual(try await second.bad(), before, "the jobs")
            try expectEqual(
                try await second.store.interrupted(after: 0, limit: 9, in: second.session).count, 2, "interrupted jobs")
            try await second.expectSetAside([])
            try await second.store.close(second.session)
        },
        StoreCheck(name: "a job that is set aside keeps its elapsed time when the clock is set") { factory in
            let opened = try await Opened(factory)
            try await opened.add(sampleJob("bad0", wake: 5, trigger: .every(.seconds(60))))
            try await opened.setAside(try await opened.bad())
            _ = try await opened.commit([], clock: sampleClock(setBy: .seconds(100)))
            try await opened.store.close(opened.session)
            let second = try await Opened(try await factory.reopen(opened.store))
            try expectEqual(try await second.bad()[0].nextWake, instant(105), "its next wake")
            try await second.store.close(second.session)
        },
        StoreCheck(name: "a job that is changed after it was set aside is due as the change says") { factory in
            let opened = try await Opened(factory)
            try await opened.add(sampleJob("bad0", wake: 5))
            let before = try await opened.bad()
            try await opened.setAside(before)
            var job = try await opened.bad()[0]
            job.bookkeeping.elapsedWake = instant(9)
            try await opened.change(job)
            try await opened.expectSetAside([])
            try expectEqual(try await opened.due().jobs.map(\.job.nextWake), [instant(9)], "what is due")
            try await opened.store.close(opened.session)
            let second = try await Opened(try await factory.reopen(opened.store))
            try expectEqual(try await second.due().jobs.map(\.job.nextWake), [instant(9)], "what is due later")
            try await second.store.close(second.session)
        },
        StoreCheck(name: "a former owner sets nothing aside") { factory in
            let first = try await Opened(factory)
            try await first.add(sampleJob("bad0", wake: 5))
            let jobs = try await first.bad()
            try await first.store.close(first.session)
            let second = try await Opened(try await factory.reopen(first.store))
            try await expectError(.notOwner, .closed, text: "setting aside") { try await first.setAside(jobs) }
            try await expectError(.notOwner, text: "setting aside, by the store of the other owner") {
                _ = try await second.store.commit(
                    StoreTurn(parts: [], clock: sampleClock(), setAside: first.unreadable(jobs)), in: first.session)
            }
            try expectEqual(try await second.due().jobs.map(\.job.id), ["bad0"], "what is due")
            try await second.store.close(second.session)
        },
    ]

    /// One trigger for each time axis.
    private static let triggers: [Trigger] = [.every(.seconds(60)), .every(.seconds(60), anchoredAt: instant(0))]
}

extension Opened {
    /// Returns the jobs whose identifiers begin with `bad`, in the order of their keys.
    fileprivate func bad() async throws -> [Job] { try await store.jobs(JobQuery(idPrefixOrName: "bad")).jobs }

    fileprivate func due() async throws -> DueJobs {
        try await store.due(through: instant(1_000), limit: 9, in: session)
    }

    fileprivate func unreadable(_ jobs: [Job]) -> [UnreadableJob] {
        jobs.map { UnreadableJob(key: $0.key, id: $0.id, shard: shard, problem: "its trigger is unknown") }
    }

    fileprivate func setAside(_ jobs: [Job]) async throws {
        _ = try await store.commit(
            StoreTurn(parts: [], clock: sampleClock(), setAside: unreadable(jobs)), in: session)
    }

    fileprivate func expectSetAside(_ jobs: [Job], line: UInt = #line) async throws {
        let found = try await store.setAside(after: 0, limit: 9)
        try expectEqual(found, unreadable(jobs), "what is set aside", line: line)
        guard let first = found.first else { return }
        try expectEqual(
            try await store.setAside(after: first.key, limit: 9), Array(found.dropFirst()), "the next page", line: line)
        try expectEqual(try await store.setAside(after: 0, limit: 1), [first], "a page of one", line: line)
    }
}
