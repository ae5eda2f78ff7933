import ApusJobs
import ApusTimers

extension StoreConformance {
    /// The checks of which session may write, and of what remains afterwards.
    static let owners: [StoreCheck] = [
        StoreCheck(name: "committed changes are present after closing and opening again") { factory in
            let first = try await Opened(factory)
            try expectEqual(first.session.node, NodeID(rawValue: "conformance"), "the node of the session")
            let job = try await first.add(sampleJob("a", wake: 10))
            try await first.change(job, runs: [sampleRun(job, 1, state: .running)])
            let loaded = try await first.load(job.id)
            try await first.store.close(first.session)
            let second = try await Opened(try await factory.reopen(first.store))
            try expectEqual(try await second.load(job.id), loaded, "the job")
            try expectEqual(loaded.job.version, 2, "version")
            let next = try await second.add(sampleJob("b"))
            try expect(next.key > job.key, "keys begin anew")
            try await second.store.close(second.session)
        },
        StoreCheck(name: "each owner gets greater epochs") { factory in
            let first = try await Opened(factory)
            try await first.store.close(first.session)
            let second = try await Opened(try await factory.reopen(first.store))
            for (shard, epoch) in second.session.shards {
                if let old = first.session.shards[shard] { try expect(epoch > old, "\(epoch) after \(old)") }
            }
            try await second.store.close(second.session)
        },
        StoreCheck(name: "a former owner can write nothing of any kind") { factory in
            let first = try await Opened(factory)
            let job = try await first.add(sampleJob("a", wake: 10))
            var ended = try await first.add(sampleJob("ended", state: .finished))
            try await first.store.close(first.session)
            let second = try await Opened(try await factory.reopen(first.store))
            let (store, stale) = (second.store, first.session)
            try await expectError(.notOwner, text: "a change") {
                let change = try await second.changing(job)
                _ = try await store.commit(StoreTurn(parts: [[change]], clock: sampleClock()), in: stale)[0].get()
            }
            try await expectError(.notOwner, text: "a new job") {
                let part = [second.adding(sampleJob("b"))]
                let turn = StoreTurn(parts: [part], clock: sampleClock(setBy: .seconds(99)))
                _ = try await store.commit(turn, in: stale)[0].get()
            }
            try await expectError(.notOwner, text: "retiring") {
                _ = try await store.retire(
                    keptUntil: instant(99_999), refusedBefore: instant(99_999), budget: 9, in: stale)
            }
            try expectEqual(try await second.load(job.id).job, job, "the job")
            try expectEqual(try await second.load(job.id).elapsedOffset, .zero, "the clock")
            try expectEqual(try await second.allIDs(), ["a", "ended"], "jobs")
            ended = try await second.change(ended)
            try expectEqual(ended.version, 2, "the owner's write")
            try await store.close(second.session)
        },
        StoreCheck(name: "a former owner closes nothing") { factory in
            let first = try await Opened(factory)
            try await first.store.close(first.session)
            let second = try await Opened(try await factory.reopen(first.store))
            try await second.store.close(first.session)
            try await first.store.close(first.session)
            try await second.add(sampleJob("a"))
            try expectEqual(try await second.allIDs(), ["a"], "jobs")
            try await second.store.close(second.session)
        },
        StoreCheck(name: "a change for a shard that the session does not own is refused, alone") { factory in
            let opened = try await Opened(factory)
            let job = try await opened.add(sampleJob("a"))
            let strange = ShardID(rawValue: opened.session.shards.keys.max()!.rawValue + 1)
            var new = opened.adding(sampleJob("b"))
            var changed = try await opened.changing(job, runs: [sampleRun(job, 1)])
            (new.shard, changed.shard) = (strange, strange)
            let results = try await opened.commit([
                [new], [opened.adding(sampleJob("c"))], [changed], [opened.adding(sampleJob("d")), new],
            ])
            for index in [0, 2, 3] { try expectRefused(results[index], .notOwner, text: "part \(index)") }
            try expectEqual(try results[1].get().map(\.id.rawValue), ["c"], "the part for an own shard")
            try expectEqual(try await opened.allIDs(), ["a", "c"], "jobs")
            try expectEqual(
                try await opened.load(job.id), LoadedJob(job: job, open: [], shard: opened.shard), "the job")
        },
        StoreCheck(name: "nothing can be written after closing, and closing twice is no error") { factory in
            let opened = try await Opened(factory)
            try await opened.store.close(opened.session)
            try await opened.store.close(opened.session)
            try await expectError(.notOwner, .closed, text: "commit") {
                _ = try await opened.commit([[opened.adding(sampleJob("a"))]])[0].get()
            }
            try await expectError(.notOwner, .closed, text: "retiring") {
                _ = try await opened.store.retire(
                    keptUntil: instant(0), refusedBefore: instant(0), budget: 1, in: opened.session)
            }
        },
    ]
}
