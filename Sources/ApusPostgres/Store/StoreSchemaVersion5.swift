#if Postgres
    extension StoreSchema {
        /// `JobPolicies.expiry`. Nodes of version 4 run what has expired.
        static let version5 = [
            "ALTER TABLE apus.request ADD COLUMN expiry bigint",
            """
            CREATE OR REPLACE FUNCTION apus.request_form() RETURNS jsonb LANGUAGE sql IMMUTABLE AS $body$
                SELECT '\(requestForm(adding: duration("expiry", from: 1) + ", "))'::jsonb
            $body$
            """,
        ]
    }
#endif
