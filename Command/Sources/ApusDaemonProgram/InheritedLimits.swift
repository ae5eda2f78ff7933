import ApusClient
import ApusCommand
import Foundation

/// The attributes that commands inherit from the daemon, and the daemon from its own parent: niceness, processors,
/// resource limits and the adjustment for the OOM killer.
enum InheritedLimits {
    /// In words, what differs from what a process has by default, read from proc(5); nothing where there is none.
    static func differences(of process: Int32) -> [String] {
        func content(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        func value(of name: String, in file: String) -> String? {
            let scalars = content("/proc/\(process)/\(file)").unicodeScalars
            let line = scalars.split(separator: "\n").map(String.init).first { $0.hasPrefix(name) }
            return line?.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.map(String.init)
        }
        var found: [String] = []
        // The 19th field; the second is the program's name in parentheses, which may have spaces.
        let scalars = content("/proc/\(process)/stat").unicodeScalars
        let fields = scalars.split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
        if fields.count > 16, fields[16] != "0" { found.append("niceness \(fields[16])") }
        let online = content("/sys/devices/system/cpu/online").trimmingCharacters(in: .whitespacesAndNewlines)
        if let allowed = value(of: "Cpus_allowed_list:", in: "status"), !online.isEmpty, allowed != online {
            found.append("the processors \(allowed) of \(online)")
        }
        if let adjustment = value(of: "", in: "oom_score_adj"), adjustment != "0" {
            found.append("oom_score_adj \(adjustment)")
        }
        for name in ["cpu time", "file size", "data size", "resident set", "address space"] {
            guard let limit = value(of: "Max \(name)", in: "limits"), limit != "unlimited" else { continue }
            found.append("the limit \(limit) of \(name)")
        }
        return found
    }
}
