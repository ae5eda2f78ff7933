extension ClusterSimulation {
    /// The seeds that have failed once, with the reasons; they run before all others.
    ///
    /// A change of the generator gives each seed another history, so a fault that must not come back also has a mutant
    /// or a test.
    package static let regressions: [(seed: UInt64, why: String)] = [
        (5, "a node that was ended while a standby was promoted tried to read the database anew for ever"),
        (10, "an attempt began beside one that was cancelled because of a promotion, and does not heed that"),
        (39, "a run was claimed again beside its own handler, which had been cancelled because of a promotion"),
        (121, "a node that was ended while a standby was promoted never took shards again"),
        (186, "a handler that asked to be called later was called by a clock that was known better by then"),
        (227, "a job whose shard was lost and given anew was in the list of those that are looked at next"),
        (344, "a claim was answered by a database that was gone when the answer came"),
        (391, "two nodes had one number, because an adoption of a timeline was lost by the next promotion"),
        (1475, "the checker held on to a postponement that a promotion had lost"),
        (4973, "a promoted database noted a place that its node had given back, for ever"),
        (4984, "a place that was given without an answer was never given back"),
        (16162, "a run began at a place that had been taken back without an answer"),
        (16448, "the checker forgot a postponement whose attempt had been claimed again when a standby was promoted"),
    ]
}
