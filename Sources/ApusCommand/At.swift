import ApusDaemon
import ApusJobs
import ArgumentParser
import Foundation

struct At: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "at",
        abstract: "Run a command once, at a time.",
        discussion: """
            Times: \(TimeText.acceptedForms.joined(separator: ", ")).
            """)

    @Argument(help: "When; directly after the word at it needs no quotes.")
    var time: String

    @Option(help: ArgumentHelp("The zone of the time (default: the system's).", valueName: "zone"))
    var tz: String?

    @OptionGroup var options: JobOptions

    func run() async throws {
        try await reporting {
            let zone = try tz.map { try TimeText.zone(named: $0) } ?? .current
            let instant = try TimeText.parse(time, now: When.now, timeZone: zone, argument: "time")
            try await submit(
                try options.submission(trigger: WireTrigger(at: TimeText.iso8601(instant))), json: options.json)
        }
    }
}
