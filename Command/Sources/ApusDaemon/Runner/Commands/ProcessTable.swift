import ApusClient
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A running process, as `/proc` shows it (proc(5)).
struct ProcessEntry: Hashable, Sendable {
    var process: Int32
    var group: Int32
    var session: Int32
    var threads: Int
    /// The token of the process's run; `nil` if it has none, or if this user cannot read its environment.
    var token: String?
}

/// The processes of the machine.
///
/// Reading the table takes about ten microseconds for each process. All calls that arrive during a reading share the
/// next reading.
actor ProcessTable {
    private var latest: Task<[ProcessEntry], Never>?
    /// The next reading, until it begins.
    ///
    /// Callers do not share a reading in progress, because it may already have missed a new process.
    private var next: Task<[ProcessEntry], Never>?

    /// Returns the running processes, without this one and zombies.
    func processes() async -> [ProcessEntry] {
        if let next { return await next.value }
        let earlier = latest
        let reading = Task { () -> [ProcessEntry] in
            _ = await earlier?.value
            next = nil
            return await Self.read()
        }
        (next, latest) = (reading, reading)
        return await reading.value
    }

    @concurrent private static func read() async -> [ProcessEntry] { running() }

    /// Reads the running processes, without this one and zombies; the result is empty on systems without `/proc`.
    static func running() -> [ProcessEntry] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init)
            .filter { $0 != getpid() }.compactMap(entry)
    }

    private static func entry(_ process: Int32) -> ProcessEntry? {
        guard let text = FileManager.default.contents(atPath: "/proc/\(process)/stat"),
            var entry = parse(String(decoding: text, as: UTF8.self), process: process)
        else { return nil }
        let mark = Array("\(ProcessEnvironment.run)=".utf8)
        let variables = FileManager.default.contents(atPath: "/proc/\(process)/environ") ?? Data()
        entry.token = variables.split(separator: 0).first { $0.starts(with: mark) }.map {
            String(decoding: $0.dropFirst(mark.count), as: UTF8.self)
        }
        return entry
    }

    /// Parses one line of `/proc/PID/stat`; `nil` for a zombie.
    ///
    /// The program's name may contain any character, so the fields are counted from its end.
    static func parse(_ text: String, process: Int32) -> ProcessEntry? {
        let scalars = text.unicodeScalars
        guard let end = scalars.lastIndex(of: ")") else { return nil }
        // The state, parent, group and session come first, and the number of threads is 14 fields after the session.
        let fields = scalars[scalars.index(after: end)...].split(separator: " ").map(Substring.init)
        guard fields.count > 17, fields[0] != "Z", fields[0] != "X", let group = Int32(fields[2]),
            let session = Int32(fields[3]), let threads = Int(fields[17])
        else { return nil }
        return ProcessEntry(process: process, group: group, session: session, threads: threads, token: nil)
    }
}
