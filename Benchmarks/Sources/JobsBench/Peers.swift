import BenchSupport
import Foundation
import Synchronization

/// Other libraries with jobs in SQLite, measured by a program in their language.
///
/// The program measures one subject at a time, in turns with Apus, on the same disk.
final class Peers: Sendable {
    /// The exit status of a program without the libraries, whose standard error says how to install them.
    private static let unavailable: Int32 = 69

    private let program: String?
    private let directory: String
    private let quick: Bool
    private let missing = Mutex<String?>(nil)

    init(program: String?, directory: String, quick: Bool) {
        self.program = program
        self.directory = directory
        self.quick = quick
    }

    /// The reason why the peers were not measured, with the remedy; `nil` if they were.
    var hint: String? {
        program == nil
            ? "other libraries; pass --peers Benchmarks/peers/peers.py" : missing.withLock { $0 }
    }

    /// The results of a subject's peers in one or more turns; empty without peers.
    struct Figures {
        private var names: [String] = []
        private var values: [String: [String: [Double]]] = [:]
        /// The notes that the table needs for the peers.
        private(set) var footnotes: [String] = []

        /// Returns the columns of the row with this key: medians of the turns.
        func columns(_ key: String) -> [(name: String, value: Double)] {
            names.compactMap { name in values[name]?[key].map { (name, median($0)) } }
        }

        fileprivate mutating func add(_ answer: Answer) {
            for peer in answer.peers {
                if values[peer.name] == nil { names.append(peer.name) }
                for (key, value) in peer.values { values[peer.name, default: [:]][key, default: []].append(value) }
            }
            footnotes = answer.footnotes
        }
    }

    fileprivate struct Answer: Decodable {
        struct Peer: Decodable {
            var name: String
            var values: [String: Double]
        }
        var peers: [Peer]
        var footnotes: [String]
    }

    /// Measures the peers once more, and adds their results.
    func measure(_ subject: Subject, into figures: inout Figures) throws {
        guard let program, hint == nil else { return }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [subject.rawValue, "--json", "--directory", directory] + (quick ? ["--quick"] : [])
        let output = Pipe()
        process.standardOutput = output
        // The errors go to a file, because two pipes would have to be read at the same time.
        let errors = "\(directory)/peers.log"
        try Data().write(to: URL(filePath: errors))
        process.standardError = FileHandle(forWritingAtPath: errors)
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let said = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        guard process.terminationStatus != Self.unavailable else {
            return missing.withLock { $0 = said.trimmingCharacters(in: .whitespacesAndNewlines) }
        }
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: "\(program) \(subject.rawValue) ended with status \(process.terminationStatus): "
                    + said.suffix(2_000))
        }
        figures.add(try JSONDecoder().decode(Answer.self, from: answer))
    }
}
