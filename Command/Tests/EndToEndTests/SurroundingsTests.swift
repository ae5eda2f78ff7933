import ApusClient
import ApusTestSupport
import Foundation
import Subprocess
import Testing

@Suite("The surroundings of commands", .timeLimit(.minutes(10)))
struct SurroundingsTests {
    private static let ofTheRun = [
        "APUS_ATTEMPT", "APUS_DUE", "APUS_JOB", "APUS_JOB_KEY", "APUS_OCCURRENCE", "APUS_RUN", "APUS_STANDS_FOR",
    ]

    /// Waits for the end of a job, and returns the lines that it printed.
    private static func output(of job: WireJob, _ apus: ApusUnderTest) async throws -> [String] {
        try await until("its end") { try await apus.client.job(job.id).state == "finished" }
        #expect(try await apus.client.job(job.id).lastRun?.outcome == "succeeded")
        return try await apus("logs", job.id).out.split(separator: "\n").map(String.init)
    }

    private static func names(_ lines: [String]) -> [String] { lines.map { String($0.prefix { $0 != "=" }) }.sorted() }

    @Test(
        "a command has the folder, the umask and the stated variables of its submitter, and no secret of another shell")
    func submitter() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon(
                after: "umask 077; cd /usr",
                environment: [
                    "DAEMON_SECRET": "hidden", "LANG": "daemon", "USER": "daemon", "NOTIFY_SOCKET": "/nowhere",
                ])
            let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
            func submit(_ options: String) async throws -> WireJob {
                var environment: [Environment.Key: String] = [
                    "APUS_HOME": apus.home.path, "PATH": "/usr/bin:/bin", "HOME": "/caller", "USER": "caller",
                    "LANG": "C", "TZ": "Europe/Berlin", "DISPLAY": ":7", "OWN_SECRET": "own", "WANTED": "a b",
                ]
                environment["SHELL"] = "/bin/sh"
                let result = try await Subprocess.run(
                    .name("sh"),
                    arguments: [
                        "-c", "umask 027; cd \(folder); exec \(ApusUnderTest.program) after 10ms --json \(options)",
                    ],
                    environment: .custom(environment), output: .string(limit: 65_536), error: .string(limit: 65_536))
                return try JSONDecoder().decode(WireJob.self, from: Data(result.standardOutput.utf8))
            }
            let variables = try await Self.output(of: submit("--inherit-env WANTED --env X=1 -- env"), apus)
            #expect(
                Self.names(variables)
                    == (Self.ofTheRun + [
                        "APUS_HOME", "DISPLAY", "HOME", "LANG", "PATH", "SHELL", "TZ", "USER", "WANTED", "X",
                    ]
                    + ["LOGNAME"]).sorted())
            #expect(
                variables.contains("WANTED=a b") && variables.contains("USER=caller") && variables.contains("LANG=C"))
            let place = try await submit("--shell -- 'pwd; umask; readlink /proc/self/fd/0'")
            #expect(place.action.command?.umask == "027")
            #expect(try await Self.output(of: place, apus) == [folder, "0027", "/dev/null"])
        }
    }

    @Test(
        "an API command without surroundings has the login's variables, the folder / and the umask 022")
    func bare() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon(after: "umask 077; cd /usr", environment: ["DAEMON_SECRET": "hidden"])
            let job = try await apus.client.submit(
                WireSubmission(
                    trigger: WireTrigger(after: "PT0.01S"),
                    action: Action(command: .init(argv: ["/bin/sh", "-c", "pwd; umask; exec env"]))))
            let lines = try await Self.output(of: job, apus)
            #expect(lines.prefix(2) == ["/", "0022"])
            // The shell adds its own variables.
            let names = Self.names(Array(lines.dropFirst(2))).filter { !["PWD", "OLDPWD", "SHLVL", "_"].contains($0) }
            #expect(names == (Self.ofTheRun + ["HOME", "LOGNAME", "PATH", "SHELL", "USER"]).sorted())
        }
    }

    @Test("bytes that are not UTF-8 in an argument, a variable or the working directory are refused by name")
    func bytes() async throws {
        try await ApusUnderTest.with { apus in
            func sh(_ line: String) async throws -> (code: TerminationStatus, err: String) {
                let result = try await Subprocess.run(
                    .name("sh"), arguments: ["-c", "b=$(printf 'f\\377'); \(line)", ApusUnderTest.program],
                    environment: apus.subprocessEnvironment, output: .discarded, error: .string(limit: 65_536))
                return (result.terminationStatus, result.standardError)
            }
            for (line, words) in [
                (#""$0" after 1h -- rm "$b""#, #"argument 5 is not UTF-8 ("f\xFF")"#),
                (#"APUS_HOME="/tmp/$b" "$0" list"#, "APUS_HOME in the environment is not UTF-8"),
                (#"WANTED=$b "$0" after 1h --inherit-env WANTED -- true"#, "WANTED in the environment is not UTF-8"),
                (#"LANG=$b "$0" after 1h -- true"#, "LANG in the environment is not UTF-8"),
                (
                    #"cd "$APUS_HOME" && mkdir "$b" && cd "$b" && "$0" after 1h -- true"#,
                    "the working directory is not UTF-8"
                ),
            ] {
                try apus.home.prepare()
                let answer = try await sh(line)
                #expect(answer.code == .exited(64) && answer.err.contains(words), "\(line): \(answer)")
            }
            #expect(try await !apus("list", "--json").out.contains(#""id""#))
        }
    }

    @Test("a variable's value can begin with a combining character, which merges visually with the `=`")
    func combiningValue() async throws {
        try await ApusUnderTest.with { apus in
            let job: WireJob = try await apus.json("after", "10ms", "--json", "--env", "A=\u{301}b", "--", "env")
            #expect(
                try await Self.output(of: job, apus).contains {
                    $0.unicodeScalars.elementsEqual("A=\u{301}b".unicodeScalars)
                })
        }
    }

    @Test("an invalid umask is refused, and so is an inherited variable that does not exist")
    func refusals() async throws {
        try await ApusUnderTest.with { apus in
            try await apus.startDaemon()
            for mask in ["", "8", "22", "1022", "00022", "0x1", "778", "-22"] {
                let error = await #expect(throws: DaemonError.self) {
                    try await apus.client.submit(
                        WireSubmission(
                            trigger: WireTrigger(after: "1h"), action: Action(command: .init(argv: ["a"], umask: mask)))
                    )
                }
                #expect(
                    error?.message.contains("action.command.umask") == true, "\(mask): \(String(describing: error))")
            }
            let answer = try await apus("after", "1h", "--inherit-env", "NO_SUCH_VARIABLE", "--", "true")
            #expect(answer.code == 64 && answer.err.contains("--inherit-env: \"NO_SUCH_VARIABLE\""), "\(answer)")
        }
    }
}
