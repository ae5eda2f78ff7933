import ApusClient
import ArgumentParser
import PlatformC

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The surroundings that a command inherits from the shell that submits it.
struct CallersSurroundings {
    /// The names of the variables that a command inherits if they are set.
    ///
    /// The variables describe the user, the paths of programs, the language, the zone, and the connection to the user's
    /// desktop.
    static let names = [
        "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "PATH", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR",
        "DBUS_SESSION_BUS_ADDRESS",
    ]

    /// Returns the variables in ``names``, those of `--inherit-env`, and `APUS_HOME`, so that an `apus` in the command
    /// uses the same daemon.
    static func variables(
        _ process: ProcessEnvironment = .current, inheriting more: [String]
    ) throws -> [String: String] {
        try process.check { names.contains($0) || more.contains($0) }
        let environment = process.variables
        var variables: [String: String] = [:]
        for name in names { variables[name] = environment[name] }
        for name in more {
            guard let value = environment[name] else {
                throw ValidationError(
                    "--inherit-env: \"\(name)\" is not set in this shell; name another variable, or use --env NAME=VALUE"
                )
            }
            variables[name] = value
        }
        if environment["APUS_HOME", default: ""] != "" {
            variables["APUS_HOME"] = try Home(environment: environment).path
        }
        return variables
    }

    /// Returns the file mode creation mask in octal digits, such as `022`.
    static func mask() -> String {
        // umask(2) returns the mask only when it sets another one, for all threads. On Linux the mask is therefore read
        // from a file, if possible.
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.unicodeScalars.split(separator: "\n").map(Substring.init).first { $0.hasPrefix("Umask:") }
        if let digits = line?.split(whereSeparator: \.isWhitespace).last, let mask = UInt32(digits, radix: 8) {
            return text(mask)
        }
        let mask = umask(0o077)
        umask(mask)
        return text(UInt32(mask))
    }

    private static func text(_ mask: UInt32) -> String {
        let digits = String(mask & 0o777, radix: 8)
        return String(repeating: "0", count: 3 - digits.count) + digits
    }
}
