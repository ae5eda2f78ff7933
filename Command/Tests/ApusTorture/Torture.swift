import ApusClient
import ApusDaemon
import ApusTestSupport
import ApusTimers
import ArgumentParser
import Foundation

/// Kills the real daemon repeatedly under load, and then checks the promises against the commands' own records.
///
/// The load consists of submissions, and of jobs that run, fail or print much output. The promises are those of durable
/// scheduling.
@main
struct Torture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torture",
        abstract: "Kill the daemon with SIGKILL repeatedly, and check that nothing is lost, doubled or early.",
        discussion: "Prints its seed; the same seed repeats the same jobs and the same moments of the kills.")

    @Option(help: ArgumentHelp("The program `apus` to test.", valueName: "path"))
    var apus: String

    @Option(help: "How many times the daemon is killed; a quarter of them in the first 150 ms of a new home.")
    var kills = 200

    @Option(help: "The soft and hard limit of open files under which the daemon runs.")
    var openFiles = 256

    @Option(help: "For how many seconds jobs flood output to readers that never read it.")
    var floodSeconds = 5

    @Option(help: "The seed (default: random).")
    var seed: UInt64?

    func validate() throws {
        guard kills >= 1 else { throw ValidationError("--kills: must be at least 1, not \(kills)") }
        guard openFiles >= 64 else { throw ValidationError("--open-files: \(openFiles) is less than 64") }
        guard floodSeconds >= 0 else { throw ValidationError("--flood-seconds: \(floodSeconds) is negative") }
        guard FileManager.default.isExecutableFile(atPath: apus) else {
            throw ValidationError("--apus: \(apus) is not a program")
        }
    }

    func run() async throws {
        let seed = seed ?? SystemRandom().next()
        print("seed \(seed); repeat with --seed \(seed)")
        let random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let program = try LimitedProgram(apus: apus, openFiles: openFiles, folder: folder.path)
        let young = max(1, kills / 4)

        let births = NewHomes(program: program, folder: folder.path, random: random)
        try await births.run(kills: young)
        let life = LongLife(program: program, home: Home(path: folder.path + "/home"), random: random)
        let result = try await life.run(kills: kills - young)
        if floodSeconds > 0 {
            try await Flood(program: program, home: Home(path: folder.path + "/flood"), seconds: floodSeconds).run()
        }
        guard result.violations.isEmpty else {
            for violation in result.violations.prefix(20) { print("BROKEN  \(violation)") }
            throw ExitCode(1)
        }
        print("every promise held")
    }
}

/// A separate folder for each run, accessible to its user only.
struct TemporaryFolder {
    let path: String

    init() throws {
        var template = Array((FileManager.default.temporaryDirectory.path + "/apus-torture-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure("no temporary folder can be made (\(String(cString: strerror(errno))))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// The program under a limit of open files.
struct LimitedProgram {
    let path: String

    init(apus: String, openFiles: Int, folder: String) throws {
        path = folder + "/apus-limited"
        let quoted =
            "'" + apus.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        try "#!/bin/sh\nulimit -n \(openFiles) || exit 1\nexec \(quoted) \"$@\"\n".write(
            toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }

    /// Starts a daemon and returns when it answers.
    func start(_ home: Home) async throws -> Int32 {
        try await DaemonLauncher(executable: path, home: home, environment: Self.environment(home)).start()
    }

    /// Starts a daemon and returns at once.
    func spawn(_ home: Home) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["serve"]
        process.environment = Self.environment(home)
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private static func environment(_ home: Home) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["APUS_HOME"] = home.path
        environment[StoreLocation.variable] = nil
        environment["DBUS_SESSION_BUS_ADDRESS"] = nil
        return environment
    }
}

/// Waits in real time on the continuous clock, because this program kills real processes.
func wait(_ duration: Duration) async throws {
    let clock = TimerClock.continuous()
    try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil)
}
