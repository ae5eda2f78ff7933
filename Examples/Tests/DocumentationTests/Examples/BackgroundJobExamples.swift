import Apus
import ApusFoundation
import ApusLinux
import Foundation

/// The examples in docs/background.md of jobs that the host starts when it suits the device.
enum BackgroundJobExamples {
    static func fetchFeed() async throws {}
    static func rebuildIndex(_ progress: (Int64) -> Void) async throws {}

    static func refreshing(host: LinuxHost, folder: URL) async throws {
        // Shown: backgroundJobs
        let jobs = try HostBackgroundJobs(host: host, store: FileRecordStore(folder: folder))

        try jobs.register("com.example.feed") { _ in
            let next = host.engine.time.wall().advanced(by: .seconds(3_600))
            try await jobs.submit(BackgroundJobRequest("com.example.feed", .refresh, earliestBegin: next))
            try await fetchFeed()  // is cancelled after 30 s, and when a stopping host's time is over
        }
        try jobs.register("com.example.index") { run in
            run.onExpiration { print("the index is continued next time") }
            try await rebuildIndex { run.report(completed: $0, of: 100) }
        }

        if await !jobs.pending().contains(where: { $0.identifier == "com.example.feed" }) {
            try await jobs.submit(BackgroundJobRequest("com.example.feed", .refresh))
        }
        let index = BackgroundJobRequest("com.example.index", .processing(requiresExternalPower: true))
        try await jobs.submit(index)
        print(jobs.obstacles(for: index.identifier))  // [no external power], for example
        // Shown: end
    }
}
