import Apus
import ApusLinux
import Foundation

/// The documents' examples of background tasks.
enum BackgroundExamples {
    static func upload() async throws {}

    static func finishing() async throws {
        // Shown: background
        let host = LinuxHost(configuration: .init(gracePeriod: .seconds(30)))

        let work = Task {
            try await host.withBackgroundTask(named: "upload") {
                try await upload()  // is cancelled four seconds before the grace period ends
            }
        }

        let outcome = try await host.run()  // SIGTERM or Ctrl-C, and then the end of the upload or of the grace period
        if case .cut(let names) = outcome { print("not finished: \(names)") }
        work.cancel()
        exit(outcome.exitCode)  // 0, or 75 when something was cut
        // Shown: end
    }
}
