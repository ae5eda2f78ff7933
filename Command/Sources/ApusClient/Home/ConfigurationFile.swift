import PathTrust
import PlatformC

/// The configuration file: a JSON object with settings, all of them optional.
///
/// It is `$APUS_CONFIG`, else `config.json` in `$APUS_HOME`, else `$XDG_CONFIG_HOME/apus/config.json`, else
/// `~/.config/apus/config.json`. It is read only if no other user can have written it, because it decides which store a
/// daemon uses and who can reach the daemon.
package struct ConfigurationFile: Sendable {
    /// The environment variable that names the file.
    package static let variable = "APUS_CONFIG"

    /// The absolute path of the file; `nil` if the environment has no folder for it.
    package let path: String?
    /// Whether the file exists.
    ///
    /// A missing file is an error only if ``variable`` names it.
    package let isPresent: Bool
    /// The instant of the last change, in whole seconds since 1970; `nil` if the file does not exist.
    package let changed: Int?
    /// The texts of each setting in the file.
    package let values: [SettingKey: [String]]
    /// Whether other users can read the file.
    package let isReadableByOthers: Bool

    /// The maximum size of the file, in bytes.
    private static let mostBytes = 1 << 20

    /// Reads the file that an environment names.
    ///
    /// - Throws: ``DaemonError`` with `invalid`, naming the file and the problem, or with `unavailable` if the file
    ///   cannot be read or other users can write it.
    package init(environment: [String: String]) throws(DaemonError) {
        let isNamed = environment[Self.variable]?.isEmpty == false
        guard let path = try Self.path(environment) else {
            (path, isPresent, changed, values, isReadableByOthers) = (nil, false, nil, [:], false)
            return
        }
        guard let (bytes, status) = try Self.contents(of: path) else {
            guard !isNamed else { throw DaemonError(.invalid, "\(Self.variable): \(path) does not exist") }
            self.path = path
            (isPresent, changed, values, isReadableByOthers) = (false, nil, [:], false)
            return
        }
        self.path = path
        isPresent = true
        changed = status.modified.tv_sec
        isReadableByOthers = mode_t(status.st_mode) & 0o077 != 0
        values = try Self.values(bytes, path)
    }

    /// Returns the absolute path of the file for an environment; `nil` if the environment has no folder for it.
    package static func path(_ environment: [String: String]) throws(DaemonError) -> String? {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let path = value(variable) { return try Home.absolute(path) }
        if let home = value("APUS_HOME") { return try Home.absolute(home) + "/config.json" }
        if let folder = value("XDG_CONFIG_HOME"), folder.unicodeScalars.first == "/" {
            return folder + "/apus/config.json"
        }
        return value("HOME").flatMap { $0.unicodeScalars.first == "/" ? $0 + "/.config/apus/config.json" : nil }
    }

    // MARK: Reading

    /// Returns the contents and the status of the file; `nil` if it does not exist.
    ///
    /// Links are followed, because configuration files are often kept elsewhere; the file that a link leads to is
    /// checked. The folders above it need no check, because a file of another user is refused in any folder.
    private static func contents(of path: String) throws(DaemonError) -> (bytes: [UInt8], status: stat)? {
        func failure(_ reason: String) -> DaemonError { DaemonError(.unavailable, "\(path) \(reason)") }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot be read (\(String(cString: strerror(errno))))")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("cannot be read (\(String(cString: strerror(errno))))") }
        if let objection = TrustedPath.objectionToReading(status, path: path) { throw failure(objection) }
        var bytes = [UInt8](repeating: 0, count: mostBytes + 1)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                read(file, buffer.baseAddress! + count, buffer.count - count)
            }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw failure("cannot be read (\(String(cString: strerror(errno))))") }
            if more == 0 { break }
            count += more
        }
        guard count <= mostBytes else { throw failure("is larger than 1 MiB, so it cannot be a configuration file") }
        return (Array(bytes.prefix(count)), status)
    }

    // MARK: Settings

    private static func values(_ bytes: [UInt8], _ path: String) throws(DaemonError) -> [SettingKey: [String]] {
        let document: JSONValue
        do { document = try JSONParser.parse(bytes) } catch {
            throw DaemonError(.invalid, "\(path): \(error.message)")
        }
        guard case .object(let members) = document else {
            throw DaemonError(.invalid, "\(path): it is not a JSON object, such as {\"log\": {\"level\": \"debug\"}}")
        }
        var values: [SettingKey: [String]] = [:]
        try collect(members, below: "", path, into: &values)
        return values
    }

    private static func collect(
        _ members: [String: JSONValue], below prefix: String, _ path: String,
        into values: inout [SettingKey: [String]]
    ) throws(DaemonError) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let full = prefix + name
            // A member whose name contains a dot, such as `log.level`, is not a setting, because a dot in a setting's
            // path stands for a nested object.
            if !name.contains("."), let key = SettingKey(rawValue: full) {
                guard let texts = texts(of: value, as: key.form) else {
                    throw DaemonError(.invalid, "\(path): \(full) must have a value such as \(key.examples)")
                }
                values[key] = texts
            } else if !name.contains("."), case .object(let more) = value,
                SettingKey.allCases.contains(where: { $0.rawValue.hasPrefix(full + ".") })
            {
                try collect(more, below: full + ".", path, into: &values)
            } else {
                let known = SettingKey.allCases.map(\.rawValue).joined(separator: ", ")
                let isGroup = SettingKey.allCases.contains { $0.rawValue.hasPrefix(full + ".") }
                throw DaemonError(
                    .invalid,
                    isGroup && !name.contains(".")
                        ? "\(path): \(full) must be an object of settings; the settings are \(known), and a dot means an object"
                        : "\(path): \(full) is not a setting; the settings are \(known), and a dot means an object")
            }
        }
    }

    /// Returns the text or the texts of a value; `nil` if the value does not have the form.
    private static func texts(of value: JSONValue, as form: SettingKey.Form) -> [String]? {
        switch (form, value) {
        case (.text, .string(let text)), (.number, .string(let text)), (.number, .number(let text)),
            (.size, .string(let text)), (.size, .number(let text)):
            return [text]
        case (.truth, .bool(let truth)):
            return ["\(truth)"]
        case (.texts, .array(let elements)):
            var texts: [String] = []
            for element in elements {
                guard case .string(let text) = element else { return nil }
                texts.append(text)
            }
            return texts
        case (.text, _), (.number, _), (.size, _), (.truth, _), (.texts, _):
            return nil
        }
    }
}
