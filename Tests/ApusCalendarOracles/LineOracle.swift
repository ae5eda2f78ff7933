import Foundation

/// Runs a program that answers each line with a line.
final class LineOracle {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    func send(_ fields: [String]) {
        input.fileHandleForWriting.write(Data((fields.joined(separator: "\t") + "\n").utf8))
    }

    /// Returns the next answer, or nil if the program has ended.
    func receive() -> String? {
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
                unread = Data(unread[(end + 1)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            unread.append(more)
        }
    }

    func ask(_ fields: [String]) -> String? {
        send(fields)
        return receive()
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// An oracle's answer about a schedule.
enum Answer: Equatable {
    case instants([Int64])
    case refused(String)

    init(line: some StringProtocol) {
        self =
            line.contains("error:")
            ? .refused(String(line)) : .instants(line.split(separator: " ").compactMap { Int64($0) })
    }

    /// Returns the instants up to the last requested one, or nil if the oracle refuses the schedule.
    func instants(until end: Int64) -> [Int64]? {
        if case .instants(let list) = self { list.filter { $0 <= end } } else { nil }
    }
}
