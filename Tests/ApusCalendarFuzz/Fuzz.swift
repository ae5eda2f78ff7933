// Scripts/fuzz compiles this file and ApusCalendar into one module. libFuzzer calls `LLVMFuzzerTestOneInput` with each
// input.
import PlatformC

/// The parser that is fuzzed: a form of schedules, or zone files.
private let target: ScheduleForm? = {
    guard let name = getenv("FUZZ_TARGET") else { fatalError("FUZZ_TARGET is not set") }
    return ScheduleForm(rawValue: String(cString: name))
}()

private let berlin: TimeZoneRules = {
    guard let zone = try? ZoneDatabase().zone("Europe/Berlin") else { fatalError("there is no zone Europe/Berlin") }
    return zone.rules
}()

/// The time in milliseconds and the number of steps of the slowest search so far.
private nonisolated(unsafe) var slowest = (milliseconds: 0.0, steps: 0)

/// Tests the parser with an input of libFuzzer, which calls this function.
///
/// - Parameters:
///   - start: The input.
///   - count: Its length.
/// - Returns: 0.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let target else {
        zoneFile(bytes)
        return 0
    }
    schedule(String(decoding: bytes, as: UTF8.self), target)
    return 0
}

// MARK: Schedules

private let today = CivilDateTime(localSeconds: 1_795_000_000)

private func read(_ text: String, _ form: ScheduleForm) throws(ScheduleTextError) -> CalendarSchedule {
    try CalendarSchedule(text: text, form: form, now: today)
}

private func schedule(_ text: String, _ form: ScheduleForm) {
    _ = ScheduleForm(of: text)
    let schedule: CalendarSchedule
    do { schedule = try read(text, form) } catch {
        require(error.column >= 1 && error.column <= text.count + 1, "column \(error.column) of \(text.count)")
        require(!error.expected.isEmpty, "nothing is expected")
        return
    }
    require(schedule.text(in: form) != nil, "not printed in its own form")
    for other in ScheduleForm.allCases {
        guard let printed = schedule.text(in: other) else { continue }
        guard let again = try? read(printed, other) else { fatalError("“\(printed)” is not read in \(other)") }
        require(again == schedule, "“\(printed)” is read as another schedule")
        require(again.text(in: other) == printed, "“\(printed)” is printed in another way")
    }
    for rules in [TimeZoneRules.utc, berlin] { search(schedule, rules) }
}

private func search(_ schedule: CalendarSchedule, _ rules: TimeZoneRules) {
    let prepared = PreparedSchedule(schedule, in: rules, identifier: "fuzz")
    for instant: Int64 in [0, 1_795_000_000, 4_000_000_000, -2_000_000_000, 7_289_000_000] {
        let next = measured { prepared.next(after: instant, steps: &$0) }
        if let next {
            require(next.instant > instant, "not after")
            let again = measured { prepared.previous(before: next.instant + 1, steps: &$0) }
            require(again?.instant == next.instant, "previous finds \(String(describing: again)), not \(next)")
        }
        let previous = measured { prepared.previous(before: instant, steps: &$0) }
        if let previous { require(previous.instant < instant, "not before") }
    }
}

private func measured(_ find: (inout Int) -> Occurrence?) -> Occurrence? {
    var (steps, start, end) = (0, timespec(), timespec())
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
    let found = find(&steps)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
    require(steps <= PreparedSchedule.stepBound, "\(steps) steps")
    let nanoseconds = (end.tv_sec - start.tv_sec) * 1_000_000_000 + end.tv_nsec - start.tv_nsec
    if Double(nanoseconds) / 1_000_000 > slowest.milliseconds {
        slowest = (Double(nanoseconds) / 1_000_000, steps)
        print("slowest: \(slowest.milliseconds) ms, \(steps) steps")
    }
    return found
}

private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

// MARK: Zone files

private func zoneFile(_ bytes: [UInt8]) {
    guard let rules = try? TimeZoneRules(tzif: bytes) else { return }
    for change in rules.transitions(in: -5_000_000_000..<7_000_000_000).prefix(50) {
        for local in [change.at + Int64(change.before), change.at + Int64(change.after)] {
            switch rules.localToInstants(CivilDateTime(localSeconds: local)) {
            case .one(let instant):
                require(rules.local(at: instant).localSeconds == local, "another local time")
            case .repeated(let first, let second):
                require(first < second, "not in order")
                require(rules.local(at: first) == rules.local(at: second), "other local times")
            case .gap(let before, let after):
                require(before < after, "not in order")
            }
        }
    }
    let daily = CalendarSchedule(.fields(CalendarFields(times: TimesOfDay([9000]))))
    search(daily, rules)
}
