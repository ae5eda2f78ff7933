import BenchSupport
import Foundation

/// The process of a node, from the point of view of the benchmark.
final class NodeProcess {
    let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the process without waiting for it.
    init(_ name: String, _ connection: String) throws {
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--node", name, connection]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Returns the numbers in the next line, which must begin with this word.
    @discardableResult
    func expect(_ word: String) throws -> [Double] {
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.first.map(String.init) == word else {
            throw Failure(description: "a node answered “\(words.joined(separator: " "))” instead of \(word)")
        }
        return words.dropFirst().compactMap { Double($0) }
    }

    var megabytes: Double { residentMegabytes(of: process.processIdentifier) }

    /// Ends the process, and waits for its end.
    func stop() {
        try? input.fileHandleForWriting.close()
        while let data = try? output.fileHandleForReading.read(upToCount: 4_096), !data.isEmpty {}
    }

    /// Kills the process, as in a crash.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        stop()
    }
}

/// Starts nodes, and waits until they share the shards.
func startNodes(_ count: Int, on server: Server, _ database: String) throws -> [NodeProcess] {
    let nodes = try (0..<count).map { number in
        let node = try NodeProcess("n\(number)", server.connection(database))
        try node.expect("up")
        return node
    }
    let least = 256 / count
    for _ in 0..<600 {
        let shares = try server.query(
            "SELECT count(*) FROM apus.shard WHERE node IS NOT NULL GROUP BY node", in: database
        ).compactMap { Int($0[0]) }
        if shares.count == count, shares.allSatisfy({ $0 >= least }) { return nodes }
        Foundation.usleep(50_000)
    }
    throw Failure(description: "the \(count) nodes do not have equal shares of the shards")
}
