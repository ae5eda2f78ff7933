import ApusClient
import ApusSQLite
import PathTrust
import PlatformC

/// The file in which a daemon records the location of its home's jobs, if it is not the home's own file.
///
/// Without it, the next daemon that is started without `--store`, as by `apus list`, would begin with a new, empty
/// file.
struct StoreRecord: Sendable {
    private let home: Home

    init(_ home: Home) { self.home = home }

    /// Replaces the record of an earlier daemon, or removes it.
    ///
    /// There is no other writer, because the daemon holds the home's lock.
    func write(_ store: StoreLocation) throws(TrustedPath.Failure) {
        if case .sqlite(let path) = store, OwnerLock.resolved(path) == OwnerLock.resolved(home.databasePath) {
            unlink(home.storeRecordPath)
        } else {
            _ = try TrustedPath.replaceFile(home.storeRecordPath, with: "\(store)\n")
        }
    }

    /// The second line of a record while its store has never been opened.
    private static let unopened = "never opened"

    /// Records the location of a store before the daemon opens it, if the home has no jobs yet.
    ///
    /// If the store then cannot be opened, the record keeps the next daemon from beginning with another store.
    func announce(_ store: StoreLocation) throws(TrustedPath.Failure) {
        let known = lines
        guard known.isEmpty ? access(home.databasePath, F_OK) != 0 : known.dropFirst().first == Self.unopened else {
            return
        }
        if case .sqlite(home.databasePath) = store { return }
        _ = try TrustedPath.replaceFile(home.storeRecordPath, with: "\(store)\n\(Self.unopened)\n")
    }

    private var lines: [String] {
        guard let file = try? TrustedPath.open(home.storeRecordPath, O_RDONLY) else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(file, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).textLines.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Checks that the jobs of the home are in the home's own file.
    ///
    /// - Throws: `DaemonError` with `invalid` if the home's last daemon used another store, or was to use another store
    ///   but could not open it.
    func checkOwnFile() throws(DaemonError) {
        let lines = lines
        guard let last = lines.first, !last.isEmpty else { return }
        if lines.dropFirst().first == Self.unopened {
            throw DaemonError(
                .invalid,
                "the jobs of \(home.path) were to be in \(last), which could not be opened: set \(StoreLocation.variable) "
                    + "again (for the home's own file, set the variable to \(home.databasePath))")
        }
        throw DaemonError(
            .invalid,
            "the jobs of \(home.path) are in \(last): set \(StoreLocation.variable) to it (to go back to the home's own "
                + "file, copy them there, and set the variable to \(home.databasePath))")
    }
}
