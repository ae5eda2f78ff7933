import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation

/// Kills daemons in the first milliseconds of new homes, and checks that each home opens again.
struct NewHomes {
    let program: LimitedProgram
    let folder: String
    let random: SeededRandom

    func run(kills: Int) async throws {
        for number in 0..<kills {
            let home = Home(path: "\(folder)/new\(number)")
            try home.prepare()
            let process = try program.spawn(home)
            try await wait(.microseconds(Int64(random.next() % 150_000)))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let successor: Int32
            do { successor = try await program.start(home) } catch {
                throw Failure("home \(number) did not open again: \(error)")
            }
            _ = try await DaemonClient(home: home).jobs()
            kill(successor, SIGKILL)
            try await until("the end of process \(successor)", atMost: .seconds(300)) { kill(successor, 0) != 0 }
            try? FileManager.default.removeItem(atPath: home.path)
        }
        print("\(kills) new homes, killed in their first 150 ms: each opened again")
    }
}
