import ApusJobs
import ApusSQLite
import ApusTimers
import Foundation
import GRDB
import Testing

/// A directory that goes with the test.
final class Directory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "apus-sqlite-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "jobs.db") -> String { "\(path)/\(name)" }
}

func sampleJob(_ id: String, payload: [UInt8] = []) -> Job {
    let instant = WallInstant(secondsSince1970: 1_767_225_600)
    return Job(
        request: JobRequest(id: JobID(id), trigger: .at(instant), payload: payload), state: .scheduled,
        created: instant,
        updated: instant, first: instant, nextDue: instant, wake: instant)
}

extension SQLiteStore {
    @discardableResult
    func add(_ job: Job, _ epoch: StoreEpoch, runs: [Run] = []) async throws -> Job {
        try await commit([JobChange(expected: .absent, job: job, runs: runs)], epoch: epoch)[0]
    }

    func allIDs() async throws -> [String] {
        var found: [String] = []
        var after: String?
        repeat {
            let page = try await jobs(JobQuery(limit: 1_000, after: after))
            found += page.jobs.map(\.id.rawValue)
            after = page.next
        } while after != nil
        return found
    }
}

/// Runs `body`, which must throw a ``JobError`` of that kind, and gives back the error.
@discardableResult
func expectError(
    _ code: JobError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> JobError {
    do {
        try await body()
    } catch let error as JobError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    }
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    throw CancellationError()
}

/// Another program's connection to the file.
func foreignConnection(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    return try DatabaseQueue(path: path, configuration: configuration)
}
