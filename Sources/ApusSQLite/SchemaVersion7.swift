#if SQLite
    extension Schema {
        // A submission writes a page for each index that it concerns. The open job of an identifier is found by
        // job_id_unique, so the other index of identifiers has the rest only: ended jobs, and those whose state is
        // unknown. An index ends with the row's key without naming it.
        static let version7 = """
            DROP INDEX job_id;
            CREATE INDEX job_id_others ON job (id) WHERE NOT (job.state = 'scheduled' OR job.state = 'suspended');
            DROP INDEX job_wake;
            CREATE INDEX job_wake ON job (lane, wake) WHERE wake IS NOT NULL;
            DROP INDEX job_elapsed_wake;
            CREATE INDEX job_elapsed_wake ON job (lane, elapsed_wake) WHERE elapsed_wake IS NOT NULL;
            """
    }
#endif
