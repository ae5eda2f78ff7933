#if Postgres
    import Testing

    @testable import ApusPostgres

    @Suite("Errors of the server")
    struct ServerErrorTests {
        @Test(
            "each SQLSTATE has its code",
            arguments: [
                ("28P01", .authentication), ("28000", .authentication), ("3D000", .databaseMissing),
                ("42501", .insufficientPrivilege), ("25006", .readOnly), ("53300", .tooManyConnections),
                ("57P01", .shutDown), ("57P02", .crashed), ("57P03", .startingUp), ("57P04", .databaseMissing),
                ("57P05", .timedOut), ("25P03", .timedOut), ("57014", .timedOut), ("55P03", .timedOut),
                ("40001", .conflict), ("40P01", .conflict), ("40002", .conflict), ("53100", .full), ("53200", .full),
                ("53000", .full), ("3F000", .undefined), ("42P01", .undefined), ("42703", .undefined),
                ("42883", .undefined), ("42704", .undefined), ("23505", .constraint), ("23503", .constraint),
                ("22012", .invalid), ("42601", .invalid), ("08P01", .invalid), ("08006", .lost), ("XX000", .other),
                ("58030", .other), ("0A000", .other), ("ZZZZZ", .other),
            ] as [(String, PostgresError.Code)])
        func codes(state: String, code: PostgresError.Code) {
            let error = ServerErrors.error(.init(sqlState: state, message: "words"), fate: .unknown, statement: 3)
            #expect(error.code == code)
            #expect(error.fate == .unknown)
            #expect(error.statement == 3)
            #expect("\(error)".contains("\(state): words"))
        }

        @Test("no SQLSTATE and no class is in the table twice")
        func table() {
            let states = ServerErrors.meanings.flatMap(\.states)
            #expect(Set(states).count == states.count)
            #expect(states.allSatisfy { $0.utf8.count == 5 || $0.utf8.count == 2 })
        }

        @Test(
            "libpq's messages about a failed connection have their codes",
            arguments: [
                (
                    "connection to server at \"db\" port 5432 failed: Connection refused\n\tIs the server …\n",
                    .unreachable, nil
                ),
                ("could not translate host name \"db\" to address: Name or service not known\n", .unreachable, nil),
                (
                    "connection to server at \"db\", port 5432 failed: FATAL:  28P01: password authentication failed\n"
                        + "LOCATION:  auth_failed, auth.c:338\n", .authentication, "28P01"
                ),
                ("… failed: FEHLER:  3D000: Datenbank »x« existiert nicht: so\n", .databaseMissing, "3D000"),
                ("… failed: FATAL:  57P03: the database system is starting up\n", .startingUp, "57P03"),
                ("… failed: FATAL:  53300: sorry, too many clients already\n", .tooManyConnections, "53300"),
                ("… failed: server does not support SSL, but SSL was required\n", .encryptionRefused, nil),
                ("… failed: SSL error: certificate verify failed\n", .encryptionRefused, nil),
                (
                    "… failed: FATAL:  28000: no pg_hba.conf entry for host \"::1\", user \"a\", no encryption\n",
                    .encryptionRequired, "28000"
                ),
                ("… failed: fe_sendauth: no password supplied\n", .authentication, nil),
                ("… failed: session is read-only\n", .readOnly, nil),
                ("… failed: server is in hot standby mode\n", .readOnly, nil),
                // If there are several hosts, the error is that of the last server that answered.
                (
                    "… \"db1\" failed: FATAL:  57P03: the database system is shutting down\n"
                        + "… \"db2\" failed: FATAL:  28P01: password authentication failed\n", .authentication, "28P01"
                ),
            ] as [(String, PostgresError.Code, String?)])
        func connecting(words: String, code: PostgresError.Code, state: String?) {
            let error = ServerErrors.connectError(words)
            #expect(error.code == code)
            #expect(error.server?.sqlState == state)
            #expect(error.fate == .notApplied)
            #expect(!"\(error)".contains("LOCATION"))
        }

        @Test("no description contains an error's detail, which may have values of rows")
        func detail() {
            let server = PostgresError.ServerMessage(
                sqlState: "23505", message: "duplicate key", detail: "Key (a)=(secret) already exists.")
            let error = ServerErrors.error(server, fate: .notApplied)
            #expect(!"\(error)".contains("secret"))
            #expect(error.server?.detail?.contains("secret") == true)
        }
    }
#endif
