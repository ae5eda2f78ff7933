#if Postgres
    import ApusJobs

    extension StoreSchema {
        /// Adds `JobUniqueness.key`.
        ///
        /// Programs of version 6 would not detect that such jobs are equal. `unique_payload` now applies to the key, or
        /// to the payload of a job without a key. It is 0 for a job that is unique by neither, 1 for a job that is
        /// unique by one of them, and 2 after the end of such a job.
        static let version7 = [
            "ALTER TABLE apus.request ADD COLUMN unique_key text",
            "DROP INDEX apus.request_payload_unique, apus.request_payload",
            """
            CREATE UNIQUE INDEX request_unique ON apus.request (kind, (\(content))) WHERE unique_payload = 1
            """,
            """
            CREATE INDEX request_content ON apus.request (kind, (\(content)), job) WHERE unique_payload > 0
            """,
            """
            CREATE OR REPLACE FUNCTION apus.request_form() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $body$
                SELECT '\(requestForm(adding: addedPolicies, addedFields, uniqueness: addedUniqueness))'::jsonb
            $body$
            """,
        ]

        private static let content = "coalesce('k' || unique_key, encode(sha256(payload), 'hex'))"

        private static let addedUniqueness =
            #""key": {"key!": ["text", 1, \#(JobLimits.nameBytes)], \#(duration("within", from: 1))}, "#
    }
#endif
