import ApusClient
import ApusTestSupport
import ApusTimers
import Foundation
import Subprocess
import Testing

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// The built command with its own home, which is removed afterwards together with its daemon.
struct ApusUnderTest: Sendable {
    struct Answer: Sendable {
        var code: Int
        var out: String
        var err: String
    }

    let home: Home
    let client: DaemonClient
    /// The variables that the test adds to the environment of the command.
    private let variables: [String: String]

    /// The program beside the test bundle.
    static let program: String = {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path.count > 1 {
            let candidate = folder.appending(path: "apus").path
            if FileManager.default.isExecutableFile(atPath: candidate), !folder.path.hasSuffix(".build") {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        return "apus"
    }()

    static func with<Result>(
        _ store: StoreUnderTest = .sqlite, patience: String = "30s",
        _ body: (ApusUnderTest) async throws -> Result
    ) async throws -> Result {
        try await store.with(patience: patience) { try await with(variables: $0, body) }
    }

    /// Gives `body` the command with additional environment variables.
    static func with<Result>(
        variables: [String: String], _ body: (ApusUnderTest) async throws -> Result
    ) async throws -> Result {
        let path = FileManager.default.temporaryDirectory.path + "/apus-e2e-\(UUID().uuidString.prefix(8))"
        let apus = ApusUnderTest(home: Home(path: path), variables: variables)
        do {
            let result = try await body(apus)
            await apus.end()
            return result
        } catch {
            if let log = try? String(contentsOfFile: apus.home.logPath, encoding: .utf8) {
                print("log of the daemon:\n\(log)")
            }
            await apus.end()
            throw error
        }
    }

    init(home: Home, variables: [String: String] = [:]) {
        self.home = home
        self.variables = variables
        client = DaemonClient(home: home)
    }

    var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["APUS_HOME"] = home.path
        environment[ConfigurationFile.variable] = nil
        for setting in SettingKey.allCases { environment[setting.variable] = nil }
        // Without a desktop, notifications go to attached terminals or to the log.
        environment["DBUS_SESSION_BUS_ADDRESS"] = nil
        environment["XDG_RUNTIME_DIR"] = nil
        environment["TZ"] = "Europe/Berlin"
        // `swift test` sets NO_COLOR when its own output is no terminal.
        environment["NO_COLOR"] = nil
        environment["TERM"] = "xterm"
        return environment.merging(variables) { _, new in new }
    }

    var subprocessEnvironment: Subprocess.Environment { Self.subprocess(environment) }

    private static func subprocess(_ variables: [String: String]) -> Subprocess.Environment {
        .custom(Dictionary(uniqueKeysWithValues: variables.map { (Subprocess.Environment.Key(rawValue: $0)!, $1) }))
    }

    /// Runs the command to its end.
    @discardableResult
    func callAsFunction(_ arguments: String..., environment extra: [String: String] = [:]) async throws -> Answer {
        try await call(arguments, environment: extra)
    }

    @discardableResult
    func call(_ arguments: [String], environment extra: [String: String] = [:]) async throws -> Answer {
        try await Self.run(Self.program, arguments, environment.merging(extra) { _, new in new })
    }

    /// Runs a program to its end, even if a process that it leaves holds its output open.
    static func run(_ program: String, _ arguments: [String], _ variables: [String: String]) async throws -> Answer {
        let (out, err) = (try PrintedText(), try PrintedText())
        let result = try await Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(arguments), environment: Self.subprocess(variables),
            output: .fileDescriptor(out.file, closeAfterSpawningProcess: false),
            error: .fileDescriptor(err.file, closeAfterSpawningProcess: false))
        let code: Int =
            switch result.terminationStatus {
            case .exited(let code): Int(code)
            case .signaled(let signal): 128 + Int(signal)
            }
        return Answer(code: code, out: try out.read(), err: try err.read())
    }

    /// Writes a script that can be run at once.
    ///
    /// Another process writes it, because a child that is forked here while the file is open for writing would keep it
    /// busy, and running it would fail.
    static func writeProgram(_ text: String, to path: String) async throws {
        let result = try await Subprocess.run(
            .name("sh"), arguments: ["-c", #"printf %s "$1" > "$2" && chmod 700 "$2""#, "sh", text, path],
            output: .discarded, error: .discarded)
        try #require(result.terminationStatus.isSuccess)
    }

    /// Starts a daemon and returns its process.
    @discardableResult
    func startDaemon(_ extra: [String: String] = [:]) async throws -> Int32 {
        let variables = environment.merging(extra) { _, new in new }
        return try await DaemonLauncher(executable: Self.program, home: home, environment: variables).start()
    }

    /// Starts a daemon by a script that first executes `line` (such as a call of `ulimit` or `umask`), with additional
    /// options for `serve`.
    @discardableResult
    func startDaemon(
        after line: String, _ options: String = "", environment extra: [String: String] = [:]
    ) async throws -> Int32 {
        try home.prepare()
        let script = home.path + "/daemon.sh"
        let text = "#!/bin/sh\n\(line)\nexec '\(Self.program)' \"$@\" \(options)\n"
        try await Self.writeProgram(text, to: script)
        let variables = environment.merging(extra) { _, new in new }
        return try await DaemonLauncher(executable: script, home: home, environment: variables).start()
    }

    /// Starts a daemon in the foreground, and returns when it answers.
    ///
    /// - Returns: A task whose value is the daemon's output until its end.
    /// - Throws: An error if the daemon ends before it answers.
    func serve(_ options: String...) async throws -> Task<Answer, any Error> {
        let ended = Locked<Result<Answer, any Error>?>(nil)
        let served = Task {
            do {
                let answer = try await call(["serve"] + options)
                ended.withLock { $0 = .success(answer) }
                return answer
            } catch {
                ended.withLock { $0 = .failure(error) }
                throw error
            }
        }
        struct EndedAtOnce: Error { var answer: Answer }
        do {
            try await until("the daemon") {
                if ended.withLock({ $0 != nil }) { return true }
                return try await client.health().status == "ok"
            }
            if let result = ended.withLock({ $0 }) { throw EndedAtOnce(answer: try result.get()) }
            return served
        } catch {
            served.cancel()
            throw error
        }
    }

    /// Runs a command and decodes its JSON.
    func json<T: Decodable>(_ arguments: String..., as type: T.Type = T.self) async throws -> T {
        try await json(arguments, as: type)
    }

    func json<T: Decodable>(_ arguments: [String], as type: T.Type = T.self) async throws -> T {
        let answer = try await call(arguments)
        #expect(answer.code == 0, "\(arguments): \(answer.err)")
        return try JSONDecoder().decode(T.self, from: Data(answer.out.utf8))
    }

    /// Waits until a client that shows notifications listens to the daemon.
    ///
    /// It submits jobs with a notification until the daemon's log says that one was shown at attached terminals.
    func untilListening() async throws {
        let text = "is a listener there? \(UUID().uuidString)"
        try await until("a listener") {
            let probe = try await client.submit(
                WireSubmission(trigger: WireTrigger(after: "PT0.001S"), action: Action(notify: text)))
            try await until("the text") { try await client.job(probe.id).state == "finished" }
            let log = try String(contentsOfFile: home.logPath, encoding: .utf8)
            return log.split(separator: "\n").contains { $0.contains(text) && $0.contains("at attached terminals") }
        }
    }

    /// Returns all runs, oldest first.
    func allRuns() async throws -> [WireRun] {
        var runs: [WireRun] = []
        var after: String?
        repeat {
            let page = try await client.runs(limit: 1_000, after: after)
            runs += page.runs
            after = page.next
        } while after != nil
        return runs.reversed()
    }

    /// Kills all processes that have the home in their environment or arguments: also a daemon that does not answer, the
    /// daemon of a copy of the home, subcommands that wait, and commands whose daemon was killed.
    private func end() async {
        try? await until("the end of what the test has started", atMost: .seconds(60)) {
            let left = processes()
            for process in left { kill(process, SIGKILL) }
            return left.isEmpty
        }
        try? FileManager.default.removeItem(atPath: home.path)
    }

    private func processes() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).filter { process in
            ["environ", "cmdline"].contains { file in
                let words = FileManager.default.contents(atPath: "/proc/\(process)/\(file)")
                return words?.firstRange(of: Data(home.path.utf8)) != nil
            }
        }
    }
}

/// The output of a program in an unnamed file, because a pipe ends only when no process holds it open.
private struct PrintedText {
    let file: FileDescriptor

    init() throws {
        let path = FileManager.default.temporaryDirectory.path + "/apus-printed-\(UUID().uuidString)"
        file = try FileDescriptor.open(
            FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: .ownerReadWrite)
        unlink(path)
    }

    /// Returns the output so far and closes the file.
    func read() throws -> String {
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try piece.withUnsafeMutableBytes {
                try file.read(fromAbsoluteOffset: Int64(bytes.count), into: $0)
            }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece[..<count]
        }
    }
}

/// Returns whether a process runs; a zombie does not (proc(5): the state follows the program's name).
func isAlive(_ process: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    return !text.contains(") Z ")
}

/// The project's own files, found by the path of this file.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
        .standardizedFileURL

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
