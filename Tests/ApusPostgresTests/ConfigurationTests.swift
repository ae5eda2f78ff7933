#if Postgres
    import ApusPostgres
    import ApusTestSupport
    import PostgresTestServer
    import Testing

    @testable import ApusPostgres

    @Suite("The configuration of a connection")
    struct ConfigurationTests {
        @Test("a URI and libpq's key-value pairs give equal configurations")
        func forms() throws {
            let uri = try PostgresConfiguration("postgres://ann:s%40cret@db1:5433,db2/jobs?sslmode=require")
            let pairs = try PostgresConfiguration(
                "host=db1,db2 port=5433, user=ann password=s@cret dbname=jobs sslmode=require")
            for keyword in ["host", "user", "password", "dbname", "sslmode"] {
                #expect(uri[keyword] == pairs[keyword], "\(keyword)")
                #expect(uri[keyword] != nil)
            }
            #expect(uri["host"] == "db1,db2")
            #expect(uri["password"] == "s@cret")
        }

        @Test("time-outs and the application's name come from libpq's keywords and can be overridden")
        func settings() throws {
            var configuration = try PostgresConfiguration(
                "connect_timeout=3 tcp_user_timeout=1500 keepalives_idle=7 application_name=x options='-c geqo=off'")
            #expect(configuration.connectTimeout == .seconds(3))
            #expect(configuration.tcpUserTimeout == .milliseconds(1_500))
            #expect(configuration.keepaliveInterval == .seconds(7))
            #expect(configuration.applicationName == "x")
            configuration.statementTimeout = .microseconds(1_500)
            let parameters = Dictionary(
                configuration.connectionParameters.map { ($0.keyword, $0.value) }, uniquingKeysWith: { "\($0) \($1)" })
            #expect(
                parameters["options"]
                    == "-c statement_timeout=2 -c geqo=off -c default_transaction_isolation=read\\ committed")
            #expect(parameters["tcp_user_timeout"] == "1500")
            #expect(parameters["application_name"] == "x")
            #expect(parameters["client_encoding"] == "UTF8")
        }

        @Test("time-outs of any duration are numbers that libpq and the server accept", arguments: Duration.extremes)
        func extremes(duration: Duration) async throws {
            var configuration = try await PostgresServer.shared.value.tcp()
            configuration.statementTimeout = duration
            configuration.tcpUserTimeout = duration
            configuration.keepaliveInterval = duration
            for (keyword, value) in configuration.connectionParameters
            where keyword.hasSuffix("timeout") || keyword.hasPrefix("keepalives") {
                #expect(Int32(value).map { $0 >= 0 } == true, "\(keyword)=\(value)")
            }
            // If a duration leaves no time to connect or to answer, an error is thrown instead.
            configuration.connectTimeout = duration
            configuration.answerTimeout = duration
            configuration.statementTimeout = max(.seconds(1), duration)
            do {
                let one: Int32 = try await withConnection(configuration) { try await $0.value("SELECT 1") }
                #expect(one == 1)
            } catch let error as PostgresError {
                #expect(duration < .seconds(1), "\(error)")
            }
        }

        @Test("a store with any patience is made with one that it accepts", arguments: Duration.extremes)
        func patience(duration: Duration) async throws {
            let store = PostgresStore(try await PostgresServer.shared.value.configuration, patience: duration)
            #expect((PostgresStore.shortestPatience...PostgresStore.longestPatience).contains(store.timing.patience))
        }

        private static let secret = "hunter2"

        @Test("no description shows a password", arguments: ["password", "sslpassword"])
        func secrets(keyword: String) throws {
            let configuration = try PostgresConfiguration("host=db user='an n' \(keyword)=\(Self.secret)")
            var dumped = ""
            dump(configuration, to: &dumped)
            for text in ["\(configuration)", String(reflecting: configuration), dumped] {
                #expect(!text.contains(Self.secret), "\(text)")
                #expect(text.contains("\(keyword)=***"))
            }
            #expect("\(configuration)".contains("user='an n'"))
            #expect(configuration[keyword] == Self.secret)
        }

        @Test(
            "an invalid connection string is an error that shows none of its text",
            arguments: [
                "postgres://ann:hunter2/x@db/jobs", "postgres://ann:hunter2@x@db/jobs",
                "postgres://ann:7/hunter2@db/jobs",
                "host=db hunter2", "host=db hunter2=x", "port=hunter2",
                "connect_timeout=hunter2", "tcp_user_timeout=-hunter2", "postgres://ann:hunter2%zz@db",
                "host=db\0 hunter2",
                "password='hunter2", "port=5432,hunter2", "port=70000 password=hunter2",
            ])
        func refused(text: String) async {
            let error = await postgresError { try PostgresConfiguration(text) }
            #expect(error?.code == .invalid)
            #expect(error.map { "\($0)".contains(Self.secret) } == false)
        }

        @Test("host names become addresses with their ports, and numeric addresses and sockets stay")
        func addresses() throws {
            func lookUp(_ host: String) -> [String] {
                ["db1": ["10.0.0.1", "::1"], "db2": ["10.0.0.2"]][host] ?? []
            }
            func resolved(_ text: String) throws -> [String?] {
                let configuration = try PostgresConfiguration(text).resolved(by: lookUp)
                return ["host", "hostaddr", "port"].map { configuration[$0] }
            }
            #expect(try resolved("host=db1") == ["db1,db1", "10.0.0.1,::1", nil])
            #expect(try resolved("host=db1,db2 port=1,2") == ["db1,db1,db2", "10.0.0.1,::1,10.0.0.2", "1,1,2"])
            #expect(try resolved("host=db1,db2 port=7") == ["db1,db1,db2", "10.0.0.1,::1,10.0.0.2", "7"])
            #expect(try resolved("host=/run,db2 port=,2") == ["/run,db2", ",10.0.0.2", ",2"])
            #expect(try resolved("host=unknown,db2") == ["db2", "10.0.0.2", nil])
            #expect(throws: PostgresError.self) { try resolved("host=unknown") }
            // libpq itself refuses these strings.
            #expect(try resolved("host=db1,db2 port=1,2,3") == ["db1,db2", nil, "1,2,3"])
        }

        @Test("the addresses of this machine are found")
        func localhost() {
            let addresses = HostAddresses.lookUp("localhost")
            #expect(addresses.contains("127.0.0.1") || addresses.contains("::1"))
            #expect(HostAddresses.lookUp("nowhere.invalid") == [])
        }
    }
#endif
