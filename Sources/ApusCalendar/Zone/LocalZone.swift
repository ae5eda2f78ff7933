import PlatformC

/// Finds the name of this machine's time zone.
///
/// The environment variable `TZ` comes first. Its value is the name of a zone, or a path below a folder of zone files.
/// If the value is not a valid name, the zone has no name.
///
/// If `TZ` is not set, or is a path outside a folder of zone files, the name is that of the zone file to which
/// `/etc/localtime` links (localtime(5)). If there is no such link, the name is the first line of `/etc/timezone`,
/// which Debian writes too.
package enum LocalZone {
    /// Returns the name of the zone, or nil if there is none.
    ///
    /// In a container without a configured zone there is no name, and the clock shows UTC.
    package static func name() -> String? {
        name(
            variable: getenv("TZ").map { String(cString: $0) }, link: linkTarget("/etc/localtime"),
            file: SystemZoneFiles().read("/etc/timezone"))
    }

    /// Returns the name from the value of `TZ`, the target of the link, and the contents of the file.
    static func name(variable: String?, link: String?, file: [UInt8]?) -> String? {
        // An empty variable means UTC (tzset(3)); a name may begin with a colon.
        if let variable {
            let name = variable.first == ":" ? String(variable.dropFirst()) : variable
            if let named = name.first == "/" ? ofPath(name) : name { return ZoneDatabase.isName(named) ? named : nil }
        }
        if let named = link.flatMap(ofPath), ZoneDatabase.isName(named) { return named }
        let line = file.map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
        return line.flatMap { ZoneDatabase.isName($0) ? $0 : nil }
    }

    /// Returns the part of a path below the folder of zone files: `Europe/Berlin` of
    /// `../usr/share/zoneinfo/Europe/Berlin`.
    private static func ofPath(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        guard let folder = parts.lastIndex(where: { $0 == "zoneinfo" || $0.hasPrefix("zoneinfo.") }) else { return nil }
        let name = parts[(folder + 1)...].drop { $0 == "posix" || $0 == "right" }
        return name.isEmpty ? nil : name.joined(separator: "/")
    }

    private static func linkTarget(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            readlink(path, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }
}

/// Reads zone files of this machine.
public struct SystemZoneFiles: ZoneFiles {
    private static let largestFile = 1 << 20

    /// Creates the access to the files.
    public init() {}

    /// Returns the identity of a regular file.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The identity, or nil if there is no such file.
    public func identity(of path: String) -> ZoneFileIdentity? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return ZoneFileIdentity(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: status.modified.nanoseconds)
    }

    /// Returns the contents of a file.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The bytes, or nil if the file cannot be read or is larger than one megabyte.
    public func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0) }
            if count == 0 { return result }
            guard count > 0, result.count + count <= Self.largestFile else { return nil }
            result.append(contentsOf: buffer[..<count])
        }
    }
}

/// Calls `read(2)`, repeatedly if signals interrupt it.
///
/// It is outside the type, whose own method `read` would hide the system's function.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 || errno != EINTR { return count }
    }
}
