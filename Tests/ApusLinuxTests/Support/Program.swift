import Foundation

/// A program that ends with the test, with its standard output line by line.
final class Program: Sendable {
    private let processID: Int32
    private let lines: AsyncStream<String>

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        try process.run()
        processID = process.processIdentifier

        // Reading blocks, so it has its own thread, which ends with the program.
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let reader = output.fileHandleForReading
        Thread.detachNewThread {
            var buffer = Data()
            while case let more = reader.availableData, !more.isEmpty {
                buffer.append(more)
                while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: buffer[..<end], as: UTF8.self))
                    buffer = Data(buffer[buffer.index(after: end)...])
                }
            }
            continuation.finish()
        }
    }

    /// Returns the next line; `nil` when the program has ended.
    func line() async -> String? {
        for await line in lines { return line }
        return nil
    }

    deinit {
        kill(processID, SIGKILL)
    }
}
