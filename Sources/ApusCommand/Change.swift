import ApusDaemon
import ArgumentParser

/// Does the same to each of several jobs; goes on after one that fails, and then exits with 1.
private func forEach(_ ids: [String], _ body: (DaemonClient, String) async throws -> String) async throws {
    let session = try Session()
    var failed = false
    for id in ids {
        do {
            let line = try await session.call { try await body($0, id) }
            Terminal.out(line)
        } catch let error as DaemonError {
            Terminal.note("apus: \(error)")
            failed = true
        }
    }
    if failed { throw ExitCode(1) }
}

struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel jobs: what runs is ended, and nothing more is started.")

    @Argument(help: "Identifiers, beginnings of identifiers, or names.")
    var ids: [String] = []

    @Flag(help: "Every job.")
    var all = false

    func validate() throws {
        if all != ids.isEmpty { throw ValidationError(all ? "--all takes no identifiers" : "name a job, or say --all") }
    }

    func run() async throws {
        try await reporting {
            guard all else { return try await forEach(ids) { "\(try await $0.cancel($1).id) cancelled" } }
            let ids = try await Session().call { try await $0.cancelAll() }
            Terminal.out("\(ids.count) \(ids.count == 1 ? "job" : "jobs") cancelled")
        }
    }
}

struct Suspend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspend jobs: nothing starts until they are resumed; durations keep what is left of them.")

    @Argument(help: "Identifiers, beginnings of identifiers, or names.")
    var ids: [String]

    func run() async throws {
        try await reporting {
            try await forEach(ids) { client, id in
                let job = try await client.suspend(id)
                return "\(job.id) \(When.due(job))"
            }
        }
    }
}

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Resume suspended jobs.")

    @Argument(help: "Identifiers, beginnings of identifiers, or names.")
    var ids: [String]

    func run() async throws {
        try await reporting {
            try await forEach(ids) { client, id in
                let job = try await client.resume(id)
                return "\(job.id) \(When.due(job))"
            }
        }
    }
}

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a job now, beside its occurrences.")

    @Argument(help: "An identifier, the beginning of one, or a name.")
    var id: String

    func run() async throws {
        try await reporting {
            let run = try await Session().call { try await $0.run(id) }
            Terminal.out(
                "\(run.job) run \(run.occurrence) asked for; `apus logs \(run.job) --follow` shows what it prints")
        }
    }
}
