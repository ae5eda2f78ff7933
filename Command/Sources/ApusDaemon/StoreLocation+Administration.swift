import ApusClient
package import ApusJobs
import ApusPostgres
import ApusSQLite

extension StoreLocation {
    /// Whether it is a SQLite file.
    package var isFile: Bool { if case .sqlite = self { true } else { false } }

    /// What looks at the store.
    package var inspection: any StoreInspection {
        switch self {
        case .sqlite(let path): return SQLiteInspection(path: path)
        case .postgres(let configuration): return PostgresInspection(configuration)
        }
    }

    /// What copies from the store, and into it.
    package var copyable: any CopyableStore {
        switch self {
        case .sqlite(let path):
            return CopyableSQLiteStore(path: path, configuration: .init(ownerName: "apus store copy"))
        case .postgres(let configuration): return CopyablePostgresStore(configuration)
        }
    }

    /// Brings the store to the newest schema that this program knows.
    /// - Parameters:
    ///   - dryRun: whether nothing is changed.
    ///   - report: is called with what is there, before anything is changed.
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

/// What a migration would do.
package struct StoreMigrationPlan: Sendable {
    /// The version that is there; 0 for none.
    package var current: Int
    package var newest: Int
    /// In their order. Empty for a SQLite file.
    package var statements: [String]
    /// Whether programs that know only the version that is there cannot continue.
    package var endsOlderPrograms: Bool
}
