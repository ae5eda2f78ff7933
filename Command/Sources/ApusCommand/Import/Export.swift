import ApusClient
import ApusJobs
import ArgumentParser

/// The jobs in a file that `apus export` writes and `apus import` reads.
struct ExportedJobs: Codable {
    /// The version that is written; the jobs of version 1 lack `WireExportedJob.record`.
    static let currentVersion = WireExportedJob.version

    var version = currentVersion
    var jobs: [WireExportedJob]
    /// The number of jobs that are not in the file: those of other programs' kinds, and those that cannot be read.
    var leftOut: Int?
}

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the jobs that have not ended as JSON, for apus import.",
        discussion: """
            Each job is written with its identifier and its progress: when it is due next, how many occurrences it has \
            had, and how many are left. History and runs in progress are left out; apus store copy copies everything. \
            The file contains the commands' variables and the webhooks' headers; if these are secret, so is the file.
            """)

    @Option(help: ArgumentHelp("Only jobs with this label; can be given several times.", valueName: "key=value"))
    var label: [String] = []

    func run() async throws {
        try await reporting {
            _ = try JobOptions.pairs(label, option: "--label")
            var written = Written()
            do {
                try await Session().call { client in
                    try await client.export(labels: label) { piece in
                        written.add(piece)
                        try Terminal.copy(piece)
                    }
                }
            } catch var error as DaemonError where written.lines > 0 {
                error.message += "; the export is incomplete"
                throw error
            }
            let jobs = written.lines - WireExportedJob.otherLines
            Terminal.note("\(jobCount(jobs)) exported")
            let leftOut = try written.leftOut()
            if leftOut > 0 {
                Terminal.note(
                    "\(jobCount(leftOut)) left out, because another program handles them or they cannot be read")
            }
        }
    }

    /// Counts the lines of a text and keeps the last one, without parsing the text.
    private struct Written {
        private(set) var lines = 0
        private var lastLine: [UInt8] = []
        private static let newline = UInt8(ascii: "\n")

        mutating func add(_ piece: [UInt8]) {
            lines += piece.count { $0 == Self.newline }
            let tail = lastLine + piece.suffix(64)
            let lineStart = tail.dropLast().lastIndex(of: Self.newline).map { $0 + 1 } ?? tail.startIndex
            lastLine = Array(tail[lineStart...].suffix(64))
        }

        /// Reads the number of jobs that were left out; the last line contains it, as in `],"leftOut":2}`.
        func leftOut() throws -> Int {
            struct Rest: Decodable { var leftOut: Int? }
            let end = lastLine.drop { $0 != UInt8(ascii: ",") }.dropFirst()
            return end.isEmpty ? 0 : try LenientJSON.decode(Rest.self, from: Array("{".utf8) + end).leftOut ?? 0
        }
    }
}
