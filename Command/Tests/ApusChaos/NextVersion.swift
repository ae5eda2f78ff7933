import ApusPostgres

extension StoreMigrations {
    /// Returns the shipped migrations and invented later versions, which add columns to the tables that turns write.
    ///
    /// Older programs can work with all of them.
    static func upTo(_ newest: Int) -> StoreMigrations {
        var migrations = shipped
        while migrations.newest < newest {
            let number = migrations.newest + 1
            migrations.versions.append(
                Version(
                    [
                        "ALTER TABLE apus.node ADD COLUMN added_\(number) text",
                        "ALTER TABLE apus.job ADD COLUMN added_\(number) bigint NOT NULL DEFAULT 0",
                        "ALTER TABLE apus.open_run ADD COLUMN added_\(number) text",
                        "ALTER TABLE apus.run ADD COLUMN added_\(number) text",
                    ], compatibleWith: shipped.compatibleWith))
        }
        return migrations
    }
}
