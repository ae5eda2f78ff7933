import Foundation
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The limit of concurrent jobs")
struct ParallelismTests {
    @Test(
        "as many jobs run at once as requested, within the limits of descriptors and processes, and at least one",
        arguments: [
            // Each row has the requested number of jobs, the limit of open files, the number of files in use, the
            // numbers of processes that the limits still allow, and the expected number of jobs.
            (nil, 20_000, 60, [], 256), (1_000, 20_000, 60, [], 1_000), (100_000, 20_000, 60, [], 9_704),
            (nil, 1_024, 60, [], 256), (nil, 256, 60, [], 59), (nil, 64, 60, [], 1), (nil, 3, 60, [], 1),
            (3, 20_000, 60, [], 3), (nil, 20_000, 60, [400], 100), (nil, 20_000, 60, [4_000, 20], 5),
            (nil, 20_000, 60, [0], 1), (nil, .max, 60, [], 256),
        ] as [(Int?, UInt64, UInt64, [UInt64], Int)])
    func most(asked: Int?, files: UInt64, inUse: UInt64, processes: [UInt64], expected: Int) {
        let means = Parallelism.Means(files: files, filesInUse: inUse, processesLeft: processes)
        #expect(Parallelism.most(asked: asked, means: means) == expected)
    }

    @Test(
        "the most restrictive control group counts, in both versions",
        arguments: [
            ("0::/a/b\n", "", 30), ("4:cpu:/x\n3:pids:/a/b\n", "/pids", 30), ("4:cpu:/a/b\n", "/pids", nil),
            ("0::/\n", "", nil), ("", "", nil),
        ] as [(String, String, UInt64?)])
    func groups(text: String, top: String, expected: UInt64?) throws {
        let root = FileManager.default.temporaryDirectory.path + "/apus-groups-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        func write(_ text: String, _ file: String) throws {
            let url = URL(filePath: root + file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        try write(text, "/proc/self/cgroup")
        try write("max\n", "/sys/fs/cgroup\(top)/a/b/pids.max")
        try write("7\n", "/sys/fs/cgroup\(top)/a/b/pids.current")
        try write("100\n", "/sys/fs/cgroup\(top)/a/pids.max")
        try write("70\n", "/sys/fs/cgroup\(top)/a/pids.current")
        #expect(Parallelism.Means.groupLimit(root: root) == expected)
    }
}
