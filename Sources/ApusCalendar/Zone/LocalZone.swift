import PlatformC

/// The name of this machine's time zone.
///
/// It is the value of `TZ` if that is a name; else that of the zone file to which `/etc/localtime` leads
/// (localtime(5)), else the text in `/etc/timezone`, where Debian keeps it too.
package enum LocalZone {
    /// The name; `nil` if no place has one, as in a container without a zone, where the clock shows UTC.
    package static func name() -> String? {
        name(
            variable: getenv("TZ").map { String(cString: $0) }, link: linkTarget("/etc/localtime"),
            file: SystemZoneFiles().read("/etc/timezone"))
    }

    /// The same, of the contents of those places.
    static func name(variable: String?, link: String?, file: [UInt8]?) -> String? {
        // An empty variable means UTC (tzset(3)), and a colon may come before a name.
        if let variable {
            let name = variable.first == ":" ? String(variable.dropFirst()) : variable
            if let named = name.first == "/" ? ofPath(name) : name { return ZoneDatabase.isName(named) ? named : nil }
        }
        if let named = link.flatMap(ofPath), ZoneDatabase.isName(named) { return named }
        let line = file.map { String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self) }
        return line.flatMap { ZoneDatabase.isName($0) ? $0 : nil }
    }

    /// The part of a path below the folder of the zone files: `../usr/share/zoneinfo/Europe/Berlin` is `Europe/Berlin`.
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
