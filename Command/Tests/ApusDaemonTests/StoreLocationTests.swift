import Foundation
import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("Store locations as typed")
struct StoreLocationTests {
    private static let home = Home(path: "/srv/apus")

    private func path(_ text: String) throws -> String? {
        if case .sqlite(let path) = try StoreLocation(text) { path } else { nil }
    }

    @Test("a path is a SQLite file, also after sqlite:, and a relative one starts from the working directory")
    func files() throws {
        #expect(try path("/var/jobs.db") == "/var/jobs.db")
        #expect(try path("sqlite:/var/a=b.db") == "/var/a=b.db")
        #expect(try path("jobs.db") == FileManager.default.currentDirectoryPath + "/jobs.db")
        #expect(try path("sqlite:postgres") == FileManager.default.currentDirectoryPath + "/postgres")
        #expect("\(try StoreLocation("/var/jobs.db"))" == "/var/jobs.db")
    }

    @Test(
        "an argument that names no store is refused with the accepted forms",
        arguments: ["", "sqlite:", "a\0b", "mysql://db/x"])
    func refused(text: String) throws {
        let error = #expect(throws: DaemonError.self) { try StoreLocation(text) }
        #expect(error?.code == .invalid)
        #expect(error?.message.hasPrefix("--store: ") == true)
        #expect(error?.message.contains("write postgres://HOST/DATABASE, sqlite:PATH, or a path") == true)
    }

    @Test("an argument overrides the environment, which overrides the home's own file")
    func precedence() throws {
        func path(_ argument: String?, _ environment: [String: String]) throws -> String {
            let settings = try Settings(options: argument.map { [.store: [$0]] } ?? [:], environment: environment)
            return "\(try StoreLocation(settings, home: Self.home))"
        }
        #expect(try path("/a.db", ["APUS_STORE": "/b.db"]) == "/a.db")
        #expect(try path(nil, ["APUS_STORE": "/b.db"]) == "/b.db")
        #expect(try path(nil, ["APUS_STORE": ""]) == "/srv/apus/apus.db")
        #expect(try path(nil, [:]) == "/srv/apus/apus.db")
        let error = #expect(throws: DaemonError.self) { try path(nil, ["APUS_STORE": "sqlite:"]) }
        #expect(error?.message.hasPrefix("APUS_STORE: ") == true)
    }

    @Test(
        "only the parts that identify a database are shown",
        arguments: [
            ("postgres://ann:hunter2@db1:5433,db2/jobs?sslmode=require", "postgres://ann@db1:5433,db2/jobs"),
            ("postgresql://db/jobs", "postgres://db/jobs"),
            ("host=db1,db2 port=5433 dbname=jobs password=hunter2", "postgres://db1:5433,db2:5433/jobs"),
            ("  host = /run/pg port=6000 user=ann", "postgres://ann@?host=/run/pg&port=6000"),
            ("service=jobs password=hunter2", "postgres://?service=jobs"),
            ("postgres://db/jobs?schema=app&sslmode=require", "postgres://db/jobs?schema=app"),
            ("postgres:///jobs?passfile=/hunter2&sslpassword=hunter2", "postgres:///jobs"),
        ])
    func places(text: String, shown: String) throws {
        let location = try StoreLocation(text)
        #expect("\(location)" == shown)
        var dumped = ""
        dump(location, to: &dumped)
        let isPassword = text.contains("password=hunter2") || text.contains(":hunter2")
        #expect(!isPassword || !(dumped + String(reflecting: location)).contains("password=hunter2"))
        #expect(StoreLocation.hasPassword(text) == isPassword)
    }

    @Test(
        "a text that libpq does not understand is refused without showing it, because it may have a password",
        arguments: [
            "postgres://ann:hunter2/x@db/jobs", "host=db hunter2", "nothing=hunter2", "postgres://[hunter2",
        ])
    func malformed(text: String) throws {
        let error = #expect(throws: DaemonError.self) { try StoreLocation(text) }
        #expect(error?.code == .invalid)
        #expect(error?.description.contains("hunter2") == false)
        #expect(error?.message.contains("sqlite:PATH") == !text.contains("://"))
    }
}
