import ApusJobs
import ApusTimers

extension StoreConformance {
    /// Who may write, and what is there afterwards.
    static let owners: [StoreCheck] = [
        StoreCheck(name: "what was committed is there after closing and opening again") { factory in
            let first = try await Opened(factory)
            let job = try await first.add(sampleJob("a", wake: 10))
            try await first.change(job, runs: [sampleRun(job, 1, state: .claimed)])
            try await first.store.setMetadata("clock", to: "42", epoch: first.epoch)
            try await first.store.close()
            let second = try await Opened(try await factory.reopen(first.store))
            let loaded = try await second.load(job.id)
            try expectEqual(loaded.job.key, job.key, "key")
            try expectEqual(loaded.job.version, 2, "version")
            try expectEqual(loaded.open.map(\.state), [.claimed], "open runs")
            try expectEqual(try await second.store.metadata("clock"), "42", "metadata")
            let next = try await second.add(sampleJob("b"))
            try expect(next.key > job.key, "keys begin anew")
            try await second.store.close()
        },
        StoreCheck(name: "each owner gets a greater epoch") { factory in
            let first = try await Opened(factory)
            try await first.store.close()
            let second = try await Opened(try await factory.reopen(first.store))
            try expect(second.epoch > first.epoch, "\(second.epoch) after \(first.epoch)")
            try await second.store.close()
        },
        StoreCheck(name: "a write with an earlier owner's epoch is refused, whatever it is") { factory in
            let first = try await Opened(factory)
            let job = try await first.add(sampleJob("a", wake: 10))
            try await first.store.close()
            let second = try await Opened(try await factory.reopen(first.store))
            let store = second.store
            let stale = first.epoch
            try await expectError(.notOwner, text: "commit") {
                _ = try await store.commit([JobChange(expected: .version(1), job: job)], epoch: stale)
            }
            try await expectError(.notOwner, text: "shift") {
                try await store.shiftRelativeJobs(by: .seconds(9), epoch: stale)
            }
            try await expectError(.notOwner, text: "prune") {
                try await store.prune(keepRuns: 0, endedBefore: instant(99_999), epoch: stale)
            }
            try await expectError(.notOwner, text: "metadata") {
                try await store.setMetadata("k", to: "v", epoch: stale)
            }
            try expectEqual(try await second.load(job.id).job, job, "the job")
            try expect(try await store.metadata("k") == nil, "metadata was written")
            try await store.close()
        },
        StoreCheck(name: "nothing can be written after closing, and closing twice is no error") { factory in
            let opened = try await Opened(factory)
            try await opened.store.close()
            try await opened.store.close()
            try await expectError(.notOwner, .closed, text: "commit") { try await opened.add(sampleJob("a")) }
        },
        StoreCheck(name: "metadata is empty at first, and the last write counts") { factory in
            let opened = try await Opened(factory)
            try expect(try await opened.store.metadata("k") == nil, "it is not empty")
            for value in ["1", "", "zwölf\n\"3\""] {
                try await opened.store.setMetadata("k", to: value, epoch: opened.epoch)
                try expectEqual(try await opened.store.metadata("k"), value, "value")
            }
            try expect(try await opened.store.metadata("other") == nil, "another key has a value")
        },
        StoreCheck(name: "the calls of one task are applied in their order") { factory in
            let opened = try await Opened(factory)
            var job = try await opened.add(sampleJob("a"))
            for number in 1...50 {
                job.nextOccurrence = number
                job = try await opened.change(job)
            }
            try expectEqual(try await opened.load(job.id).job.nextOccurrence, 50, "the last change")
            try expectEqual(job.version, 51, "version")
        },
        StoreCheck(name: "of two changes that expect the same version, one is applied") { factory in
            let opened = try await Opened(factory)
            let job = try await opened.add(sampleJob("a"))
            let applied = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { (try? await opened.change(job)) != nil } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try expectEqual(applied, 1, "applied changes")
            try expectEqual(try await opened.load(job.id).job.version, 2, "version")
        },
    ]
}
