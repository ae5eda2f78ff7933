/// Calls `check` with every sequence of events up to a length, and returns the number of sequences.
func checkEveryProgram<Event: CaseIterable>(
    of _: Event.Type, upTo length: Int, _ check: ([Event]) throws -> Void
) rethrows -> Int {
    var programs: [[Event]] = [[]]
    var count = 0
    for _ in 0..<length {
        programs = programs.flatMap { program in Event.allCases.map { program + [$0] } }
        for program in programs {
            count += 1
            try check(program)
        }
    }
    return count
}
