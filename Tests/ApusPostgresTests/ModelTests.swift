#if Postgres
    import ApusTimers
    import Foundation
    import Testing

    /// The cluster's simulation is meaningful only if its database behaves like the real one.
    @Suite("The simulation's database and PostgreSQL")
    struct ModelTests {
        /// Reads a number from the environment.
        ///
        /// `APUS_SEEDS` is the number of histories that run, and `APUS_SEED` is the first seed.
        private static func number(_ variable: String) -> UInt64? {
            ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init)
        }

        @Test(
            "the model and PostgreSQL answer transactions alike and end with equal tables",
            arguments: 0..<UInt64(2))
        func sameHistories(_ part: UInt64) async throws {
            let (first, count) = (Self.number("APUS_SEED") ?? 1, Self.number("APUS_SEEDS") ?? 80)
            try await withDatabase { configuration in
                try await withConnection(configuration) { listener in
                    let pair = try await ModelPair(configuration, listener: listener)
                    for seed in first..<first + count where seed % 2 == part {
                        do { try await pair.run(seed: seed, steps: 60) } catch let difference as ModelPair.Difference {
                            Issue.record("seed \(seed), step \(pair.steps.count): \(difference)")
                            return await pair.disconnect()
                        }
                    }
                    await pair.disconnect()
                    // The counts are checked only after 80 histories or more, because fewer may have too few steps of
                    // a kind.
                    if count >= 80 {
                        let kinds = [
                            "applied", "refused", "refused notOwner", "refused unavailable", "beat", "take", "places",
                            "read", "load", "submit", "serve", "join", "leave", "end", "loseSession",
                        ]
                        for kind in kinds { #expect(pair.counts[kind, default: 0] > 5, "\(kind): \(pair.counts)") }
                    }
                }
            }
        }
    }
#endif
