import ApusCalendar
import ApusJobs
import ApusTimers
import Testing

@Suite("The last instant at which a job can be due")
struct LastDueTests {
    private let now = WallInstant(secondsSince1970: 1_767_225_600)

    @Test(
        "a trigger first due after the year 2200 is refused by its argument's name",
        arguments: [
            ("at", Trigger.at(WallInstant.lastDue.advanced(by: .nanoseconds(1)))),
            ("at", .at(WallInstant(nanoseconds: .max))),
            ("after", .after(.seconds(200 * 366 * 86_400))), ("every", .every(.seconds(290 * 365 * 86_400))),
            ("every", .every(.seconds(60), anchoredAt: WallInstant(secondsSince1970: 9_300_000_000))),
        ])
    func afterTheEnd(argument: String, trigger: Trigger) {
        let error = #expect(throws: JobError.self) {
            try JobMachine.submitted(JobRequest(id: "job", trigger: trigger), now: now, in: ZoneDatabase.system)
        }
        #expect(error?.code == .invalid && error?.message.hasPrefix("\(argument): ") == true, "\(error as Any)")
        #expect(error?.message.contains("2200") == true)
    }
}
