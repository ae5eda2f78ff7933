extension Simulation {
    /// The seeds that have failed once, with the reasons; they run before all others.
    ///
    /// A change of the generator gives each seed another history, so a fault that must not come back also has its own
    /// test.
    package static let regressions: [(seed: UInt64, why: String)] = [
        (8, "a scheduler that had lost its store ran what its successor had claimed"),
        (18, "a failed read was tried repeatedly, and no time passed"),
        (19, "a command beside the submission of its job was never answered"),
        (21, "an update met the end of the job's last run, and was acknowledged without a job"),
        (32, "the second of two commands for a job that is not in memory was never answered"),
        (44, "a timer for loading stayed when no job was left"),
        (56, "a turn never ended after a takeover while reads failed"),
        (73, "a reading of the clocks that could not be written was tried repeatedly, and no time passed"),
        (77, "a scheduler that had lost its store kept a claim without a handler"),
        (99, "an update of a job whose fate was unknown was tried repeatedly, and no time passed"),
        (82, "what was due during a pause of five seconds began too late"),
        (349, "an update to another overlap policy let more runs begin than that allows"),
        (425, "jobs in memory kept the only other one out"),
        (664, "a start was answered only when the first job was due"),
        (868, "a handler was not notified of a cancellation whose answer was lost"),
        (1294, "a retry began beside a later occurrence after an update"),
        (1504, "a run that waited for a clock that was set back kept later occurrences waiting"),
        (1972, "a job whose stored wake was too early after a change of the clock was loaded repeatedly"),
        (2610, "a load at the instant of an occurrence kept it from arriving"),
        (352, "a start had no answer while the store was full"),
        (116, "a claim was left without a handler"),
        (15, "an identifier that was free was in the way of a submission that met a job by its payload"),
        (5, "the last report before a snooze was lost"),
        (4404, "a submission met a job of unknown fate after the clock was set, and no time passed"),
        (9397, "a submission met an open job whose own answer was lost, and had no effect"),
        (5426, "a stop gave up an outcome because of failures before its handler ended"),
        (27402, "what a paused queue had kept out of memory was not loaded when the queue was resumed"),
        (47552, "what was read of a job that had ended since then was taken for true"),
        (15554, "a run that waited for a clock that was set back had the place of one that was due, beside others"),
        (72099, "an update that asks for conditions was begun without them in the turn in which it was due"),
        (355, "a scheduler that had lost its store read a job of its successor's repeatedly, and no time passed"),
        (1088, "after a load of a lane that had found no room, what was due later in the lane began too late"),
    ]
}
