import ApusSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file in which a daemon says where the jobs of its home are, if that is not the home's own file.
///
/// Without it, the next daemon that is started without `--store`, as by `apus list`, would begin with a new, empty
/// file.
struct StoreRecord: Sendable {
    private let home: Home

    init(_ home: Home) { self.home = home }

    /// Replaces the record of an earlier daemon, or removes it. The home's lock makes this the only writer.
    func write(_ store: StoreLocation) throws(TrustedPath.Failure) {
        if case .sqlite(let path) = store, OwnerLock.resolved(path) == OwnerLock.resolved(home.databasePath) {
            unlink(home.storeRecordPath)
        } else {
            _ = try TrustedPath.replaceFile(home.storeRecordPath, with: "\(store)\n")
        }
    }

    /// - Throws: ``DaemonError`` with `invalid` if the home's last daemon kept the jobs elsewhere.
    func checkOwnFile() throws(DaemonError) {
        guard let file = try? TrustedPath.open(home.storeRecordPath, O_RDONLY) else { return }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(file, &bytes, bytes.count)
        let last = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").first ?? ""
        guard !last.isEmpty else { return }
        throw DaemonError(
            .invalid,
            "the jobs of \(home.path) are in \(last): set \(StoreLocation.variable) (to go back to the home's own file, "
                + "copy them there, and set it to \(home.databasePath))")
    }
}
