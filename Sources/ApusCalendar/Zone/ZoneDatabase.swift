import PlatformC
import Synchronization

/// Identifies one state of a file without its contents.
public struct ZoneFileIdentity: Sendable, Hashable, Codable {
    /// The number of the file in its file system.
    public var inode: UInt64
    /// The length in bytes.
    public var size: Int64
    /// The time of the last change, in nanoseconds since 1970.
    public var modified: Int64

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - inode: The number of the file in its file system.
    ///   - size: The length in bytes.
    ///   - modified: The time of the last change, in nanoseconds since 1970.
    public init(inode: UInt64, size: Int64, modified: Int64) {
        self.inode = inode
        self.size = size
        self.modified = modified
    }
}

/// Reads the files of the time zone database.
public protocol ZoneFiles: Sendable {
    /// Returns the identity of a file, or nil if there is none.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The identity.
    func identity(of path: String) -> ZoneFileIdentity?
    /// Returns the contents of a file, or nil if it cannot be read.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The contents, which are at most one megabyte.
    func read(_ path: String) -> [UInt8]?
}

/// Reads zones from a directory of TZif files, and reads a zone again when its file has changed.
public final class ZoneDatabase: TimeZones {
    /// The zones of this machine, from the directory in the environment variable `TZDIR`, or from
    /// `/usr/share/zoneinfo`.
    public static let system = ZoneDatabase(
        directory: getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo")

    /// A zone as it was last read.
    public struct Zone: Sendable, Hashable {
        /// The IANA name.
        public let name: String
        /// The offsets of the zone.
        public let rules: TimeZoneRules
        /// A hash of the file's contents, which is the same on every machine.
        public let fingerprint: UInt64
        /// How often the contents have changed since the database found the file; 0 again after the file was missing.
        public let generation: Int

        /// Creates a zone.
        ///
        /// - Parameters:
        ///   - name: The IANA name.
        ///   - rules: The offsets.
        ///   - fingerprint: A number that differs for different rules.
        ///   - generation: How often the rules have changed.
        public init(name: String, rules: TimeZoneRules, fingerprint: UInt64, generation: Int) {
            (self.name, self.rules, self.fingerprint, self.generation) = (name, rules, fingerprint, generation)
        }
    }

    private struct Entry {
        var identity: ZoneFileIdentity
        var zone: Zone
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Names that were requested but have no file.
        var missing: Set<String> = []
    }

    private let directory: String
    private let files: any ZoneFiles
    private let state = Mutex(State())
    /// Counts the ends of accesses to the state, to order accesses for the thread sanitizer.
    ///
    /// On Linux, a contended `Mutex` is handed over inside the kernel, which the sanitizer does not see. It does see
    /// that an access reads the count that the previous one has written.
    private let exits = Atomic(0)

    /// Creates a database of the zones in a directory.
    ///
    /// - Parameters:
    ///   - directory: The directory; it is not replaced by `TZDIR`.
    ///   - files: The access to the files.
    public init(directory: String = "/usr/share/zoneinfo", files: any ZoneFiles = SystemZoneFiles()) {
        self.directory = directory
        self.files = files
    }

    /// Returns the zone with a name.
    ///
    /// - Parameter name: The IANA name, for example `Europe/Berlin`.
    /// - Returns: The zone, read again if its file has changed.
    /// - Throws: ``ZoneError`` with similar names if there is no such zone.
    public func zone(_ name: String) throws(ZoneError) -> Zone {
        guard Self.isName(name) else { throw unknown(name) }
        let path = directory + "/" + name
        guard let identity = files.identity(of: path) else {
            withState {
                $0.entries[name] = nil
                $0.missing.insert(name)
            }
            if name == "UTC" { return Zone(name: name, rules: .utc, fingerprint: 0, generation: 0) }
            throw unknown(name)
        }
        let known = withState { $0.entries[name] }
        if let known, known.identity == identity { return known.zone }
        guard let bytes = files.read(path) else { throw unknown(name) }
        let fingerprint = StableHash.fnv1a(bytes)
        let rules: TimeZoneRules
        do { rules = try TimeZoneRules(tzif: bytes) } catch {
            throw ZoneError(description: "time zone \(name): \(error.description)")
        }
        return withState { state in
            let previous = state.entries[name]?.zone
            let changed = previous.map { $0.fingerprint != fingerprint } ?? false
            let zone = Zone(
                name: name, rules: rules, fingerprint: fingerprint,
                generation: (previous?.generation ?? 0) + (changed ? 1 : 0))
            state.entries[name] = Entry(identity: identity, zone: zone)
            state.missing.remove(name)
            return zone
        }
    }

    /// Reads again the zones whose files have changed.
    ///
    /// - Returns: True if a zone has different rules now, has appeared, or has disappeared.
    public func refresh() -> Bool {
        // The elements are copied into arrays, because a copy of the dictionary would share its storage. Another thread
        // could change that storage in place as soon as the copy is released. The thread sanitizer would report a race,
        // because it does not see the runtime's reference counts.
        let (entries, missing) = withState { (Array($0.entries), Array($0.missing)) }
        var isChanged = false
        for name in missing where files.identity(of: directory + "/" + name) != nil {
            if (try? zone(name)) != nil { isChanged = true }
        }
        for (name, entry) in entries where files.identity(of: directory + "/" + name) != entry.identity {
            if (try? zone(name))?.fingerprint != entry.zone.fingerprint { isChanged = true }
        }
        return isChanged
    }

    /// Returns the names in the directory's `tzdata.zi` or `zone1970.tab`, sorted; none if both are missing.
    public func names() -> [String] {
        for list in ["tzdata.zi", "zone1970.tab"] {
            guard let bytes = files.read(directory + "/" + list) else { continue }
            var names: Set<String> = ["UTC"]
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
                if list == "zone1970.tab", words.count > 2, words[0].first != "#" { names.insert(String(words[2])) }
                if words.count > 2, words[0] == "L" { names.insert(String(words[2])) }
                if words.count > 2, words[0] == "Z" { names.insert(String(words[1])) }
            }
            return names.sorted()
        }
        return []
    }

    private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            _ = exits.load(ordering: .acquiring)
            defer { exits.add(1, ordering: .releasing) }
            return body(&state)
        }
    }

    package static func isName(_ name: String) -> Bool {
        // All names in the database begin with a letter. A text that begins with a digit may be a time of day.
        guard let first = name.utf8.first, name.utf8.count <= 64, name.utf8.last != 0x2F,
            (0x41...0x5A).contains(first & 0xDF)
        else { return false }
        let allowed = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || [0x2B, 0x2D, 0x2F, 0x5F].contains($0)
        }
        return allowed && !name.split(separator: "/", omittingEmptySubsequences: false).contains("")
    }

    private func unknown(_ name: String) -> ZoneError {
        if let other = WindowsZones.name(for: name) {
            return ZoneError(description: "\"\(name)\" is a name of Windows for \(other); write \(other)")
        }
        guard Self.isName(name) else {
            return ZoneError(description: "\"\(name)\" is not a time zone name; write one such as Europe/Berlin")
        }
        let names = names()
        guard !names.isEmpty else {
            return ZoneError(
                description:
                    "the rules of time zone \(name) are not in \(directory): install tzdata, or set TZDIR to the folder of the zone files"
            )
        }
        let near = names.map { ($0, distance($0.lowercased(), name.lowercased())) }
            .filter { $0.1 <= max(2, name.count / 3) }.sorted { $0.1 < $1.1 }.prefix(3).map(\.0)
        let hint =
            near.isEmpty ? "write an IANA name such as Europe/Berlin" : "did you mean: \(near.joined(separator: ", "))"
        return ZoneError(description: "there is no time zone \"\(name)\" in \(directory); \(hint)")
    }

    /// Returns the smaller of the edit distances to the whole name and to its last part ("berlin").
    private func distance(_ name: String, _ wanted: String) -> Int {
        let last = String(name.split(separator: "/").last ?? "")
        return min(
            editDistance(Array(name.utf8), Array(wanted.utf8)), editDistance(Array(last.utf8), Array(wanted.utf8)))
    }
}

/// Returns the number of bytes that must change to turn one text into the other.
///
/// A change inserts, removes or replaces a byte, or exchanges it with the following one. This is the optimal string
/// alignment distance.
package func editDistance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var (before, row) = ([Int](), Array(0...other.count))
    for (index, byte) in one.enumerated() {
        var next = [index + 1]
        for (column, otherByte) in other.enumerated() {
            var least = min(row[column] + (byte == otherByte ? 0 : 1), row[column + 1] + 1, next[column] + 1)
            if index > 0, column > 0, byte == other[column - 1], one[index - 1] == otherByte {
                least = min(least, before[column - 1] + 1)
            }
            next.append(least)
        }
        (before, row) = (row, next)
    }
    return row[other.count]
}

/// Computes hashes that are the same in all versions and on all machines.
enum StableHash {
    static func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Returns a number below `bound`, hashed from an identifier and the purpose of the number.
    static func slot(_ identifier: String, _ purpose: String, below bound: Int) -> Int {
        // This is the finalizer of MurmurHash3; FNV-1a alone distributes short identifiers badly over small ranges.
        var hash = fnv1a((identifier + "\u{0}" + purpose).utf8)
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        hash ^= hash >> 33
        return bound <= 1 ? 0 : Int(hash % UInt64(bound))
    }
}
