import ApusClient
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A process that runs, as `/proc` shows it (proc(5)).
struct ProcessEntry: Hashable, Sendable {
    var process: Int32
    var group: Int32
    var session: Int32
    var threads: Int
    /// The token of the run that it belongs to; `nil` if it has none, or does not let this user see its environment.
    var token: String?
}

/// The processes of the machine. Reading all of them takes some ten microseconds for each; calls that come while one
/// reading is under way share the next.
actor ProcessTable {
    private var latest: Task<[ProcessEntry], Never>?
    /// A reading that has not begun: one that has may have passed a new process already.
    private var next: Task<[ProcessEntry], Never>?

    /// The processes that run now, this one and zombies left out.
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

    /// The processes that run now, this one and zombies left out. On systems without `/proc`, none.
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

    /// One line of `/proc/PID/stat`; `nil` for a zombie. The program's name may hold any character, so the fields are
    /// counted from its end.
    static func parse(_ text: String, process: Int32) -> ProcessEntry? {
        let scalars = text.unicodeScalars
        guard let end = scalars.lastIndex(of: ")") else { return nil }
        // State, parent, group, session; the threads are 14 fields after that.
        let fields = scalars[scalars.index(after: end)...].split(separator: " ").map(Substring.init)
        guard fields.count > 17, fields[0] != "Z", fields[0] != "X", let group = Int32(fields[2]),
            let session = Int32(fields[3]), let threads = Int(fields[17])
        else { return nil }
        return ProcessEntry(process: process, group: group, session: session, threads: threads, token: nil)
    }
}
