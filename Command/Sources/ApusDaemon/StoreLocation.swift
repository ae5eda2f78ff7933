public import ApusClient
package import ApusJobs
public import ApusPostgres
import ApusSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The location of jobs: a SQLite file, or a PostgreSQL database.
///
/// No description of it contains a password.
public enum StoreLocation: Sendable {
    /// A SQLite file; the path is absolute.
    case sqlite(path: String)
    /// A PostgreSQL database.
    case postgres(PostgresConfiguration)

    /// The environment variable that names a location.
    public static let variable = SettingKey.store.variable

    /// Creates the location that a text names.
    ///
    /// The text is `postgres://…` or `postgresql://…`, libpq's pairs (`host=… dbname=…`), `sqlite:PATH`, or a path. A
    /// relative path starts from the working directory.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - argument: the name of the text in an error.
    /// - Throws: `DaemonError` with `invalid`, without the text if it may contain a password.
    public init(_ text: String, argument: String = "--store") throws(DaemonError) {
        if Self.namesServer(text) {
            do { self = .postgres(try PostgresConfiguration(text)) } catch {
                let advice = text.contains("://") ? "" : "; for a file whose path has a =, write sqlite:PATH"
                throw DaemonError(.invalid, "\(argument): \(error.message)\(advice)")
            }
            return
        }
        if let scheme = text.firstRange(of: "://").map({ text[..<$0.lowerBound] }), scheme.allSatisfy(\.isLetter) {
            throw DaemonError(
                .invalid,
                "\(argument): \(scheme):// is not a known kind of store; write postgres://HOST/DATABASE, sqlite:PATH, or a path"
            )
        }
        let isMarked = text.utf8.starts(with: Self.sqlitePrefix.utf8)
        let path = isMarked ? String(text.unicodeScalars.dropFirst(Self.sqlitePrefix.count)) : text
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw DaemonError(
                .invalid, "\(argument): it names no store; write postgres://HOST/DATABASE, sqlite:PATH, or a path")
        }
        self = .sqlite(path: try Home.absolute(path))
    }

    /// Returns whether a text contains a password.
    ///
    /// Such a text should not be an argument, because every user of the machine can read the arguments of a process.
    public static func hasPassword(_ text: String) -> Bool {
        guard namesServer(text), let configuration = try? PostgresConfiguration(text) else { return false }
        return configuration["password"] != nil || configuration["sslpassword"] != nil
    }

    /// Adds the location of a database, and the server's message, to an error of opening the store.
    ///
    /// Errors of a SQLite file, and errors with the code `owned`, are returned unchanged.
    func explained(_ error: JobError) -> JobError {
        if case .postgres = self, let cause = error.cause as? PostgresError {
            let words = cause.server.map { " (\($0.message))" } ?? ""
            return JobError(
                code: error.code == .invalid ? .unavailable : error.code, message: "\(self): \(error.message)\(words)",
                cause: cause)
        }
        if case .postgres = self, error.code != .owned {
            return JobError(code: error.code, message: "\(self): \(error.message)", cause: error.cause)
        }
        return error
    }

    private static let sqlitePrefix = "sqlite:"

    /// Returns whether libpq would read the text as a connection string.
    ///
    /// It does if the text begins with `postgres://`, `postgresql://`, or a word and `=`.
    private static func namesServer(_ text: String) -> Bool {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") { return true }
        let start = text.drop(while: \.isWhitespace)
        let word = start.prefix { $0.isASCII && ($0.isLetter || $0 == "_") }
        return !word.isEmpty && start[word.endIndex...].first { !$0.isWhitespace } == "="
    }
}

extension StoreLocation: CustomStringConvertible {
    /// The path, or `postgres://USER@HOST:PORT/DATABASE` with the parts that are known, and without a password.
    public var description: String {
        switch self {
        case .sqlite(let path): return path
        case .postgres(let configuration): return configuration.place
        }
    }
}

extension PostgresConfiguration {
    /// The location of the database, without anything that may be secret.
    fileprivate var place: String {
        var text = "postgres://" + (self["user"].map { "\($0)@" } ?? "")
        let isSocket = self["host"]?.unicodeScalars.contains("/") == true
        if !isSocket { text += servers }
        if let database = self["dbname"] { text += "/\(database)" }
        let more = [
            isSocket ? self["host"].map { "host=\($0)" } : nil, isSocket ? self["port"].map { "port=\($0)" } : nil,
            self["service"].map { "service=\($0)" }, schema == "apus" ? nil : "schema=\(schema)",
        ].compactMap { $0 }
        if !more.isEmpty { text += "?" + more.joined(separator: "&") }
        return text
    }

    private var servers: String {
        let hosts = Self.list(self["host"] ?? self["hostaddr"] ?? "")
        let ports = Self.list(self["port"] ?? "")
        return hosts.enumerated().map { index, host in
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            return host + (port.isEmpty ? "" : ":\(port)")
        }.joined(separator: ",")
    }
}

extension String {
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}

extension StoreLocation {
    /// Whether the location is a SQLite file.
    package var isFile: Bool { if case .sqlite = self { true } else { false } }

    /// The interface with which the store is inspected.
    package var inspection: any StoreInspection {
        switch self {
        case .sqlite(let path): return SQLiteInspection(path: path)
        case .postgres(let configuration): return PostgresInspection(configuration)
        }
    }

    /// The interface through which `apus store copy` reads or writes the store.
    package var copyable: any CopyableStore {
        switch self {
        case .sqlite(let path):
            return CopyableSQLiteStore(path: path, configuration: .init(ownerName: "apus store copy"))
        case .postgres(let configuration): return CopyablePostgresStore(configuration)
        }
    }

    /// Migrates the store to the newest schema that this program knows.
    ///
    /// - Parameters:
    ///   - dryRun: whether the store is left as it is.
    ///   - report: a closure that is called with the plan before anything is changed.
    /// - Throws: ``JobError``.
    package func migrate(dryRun: Bool, report: (StoreMigrationPlan) throws -> Void) async throws {
        switch self {
        case .sqlite(let path):
            let schema = try await SQLiteInspection(path: path).schema()
            try report(
                StoreMigrationPlan(
                    current: schema.version, newest: schema.newest, statements: [],
                    endsOlderPrograms: schema.version < schema.newest))
            if !dryRun, schema.version < schema.newest { try await SQLiteInspection(path: path).migrate() }
        case .postgres(let configuration):
            let inspection = PostgresInspection(configuration)
            do {
                let pending = try await inspection.pendingMigrations()
                try report(
                    StoreMigrationPlan(
                        current: pending.current, newest: pending.current + pending.migrations.count,
                        statements: pending.migrations.flatMap(\.statements),
                        endsOlderPrograms: pending.endsOlderPrograms))
                if !dryRun { try await inspection.migrate() }
                await inspection.disconnect()
            } catch {
                await inspection.disconnect()
                throw error
            }
        }
    }
}

/// The plan of a migration.
package struct StoreMigrationPlan: Sendable {
    /// The present version of the schema; 0 for none.
    package var current: Int
    package var newest: Int
    /// The statements in their order; empty for a SQLite file.
    package var statements: [String]
    /// Whether programs that know only the present version cannot continue after the migration.
    package var endsOlderPrograms: Bool
}
