#if os(Linux) && SQLite
    import ApusBackground
    import ApusDevice
    import Foundation
    import GRDB
    import GRDBSQLite
    import SimulatedAppleCore
    import Testing
    import UIKit

    private let group = "group.com.example.notes"

    private func fileInGroup() -> String {
        let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
        return folder?.appending(path: "notes.sqlite").path(percentEncoded: false) ?? ""
    }

    /// Imports notes for five seconds in one transaction, which begins on the way to the background.
    private final class Importer: UIResponder, UIApplicationDelegate {
        enum Kind { case mistaken, covered, movedHome, suspending }

        private let kind: Kind
        private var database: DatabaseQueue?

        init(_ kind: Kind) { self.kind = kind }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            var configuration = Configuration()
            configuration.observesSuspensionNotifications = kind == .suspending
            let path = kind == .movedHome ? NSHomeDirectory() + "/notes.sqlite" : fileInGroup()
            database = try? DatabaseQueue(path: path, configuration: configuration)
            try? database?.write { try $0.execute(sql: "CREATE TABLE note (text)") }
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) {
            let task = kind == .covered ? application.beginBackgroundTask() : .invalid
            database?.asyncWrite { db in
                for number in 1...500 {
                    try db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [number])
                    Thread.sleep(forTimeInterval: 0.01)
                }
            } completion: { [kind] _, result in
                switch result {
                case .success: SimulatedPhone.note("imported")
                case .failure(let error as DatabaseError): SimulatedPhone.note("failed with \(error.resultCode)")
                case .failure(let error): SimulatedPhone.note("\(error)")
                }
                if kind == .covered { application.endBackgroundTask(task) }
            }
            guard kind == .suspending else { return }
            // After 20 ms, the import is in progress, and the app is not suspended yet.
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) {
                NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
            }
        }
    }

    /// Opens the database of a group with SQLite's own functions.
    private final class Reader: UIResponder, UIApplicationDelegate {
        enum Kind { case unfinished, finished, writeAheadLog, encrypted }

        private let kind: Kind
        private var database: OpaquePointer?

        init(_ kind: Kind) { self.kind = kind }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            precondition(sqlite3_open(fileInGroup(), &database) == SQLITE_OK)
            let isLogged = kind == .writeAheadLog || kind == .encrypted
            run("PRAGMA journal_mode = \(isLogged ? "wal" : "delete"); CREATE TABLE note (text)")
            run("INSERT INTO note VALUES ('one'), ('two')")
            var statement: OpaquePointer?
            sqlite3_prepare_v2(database, "SELECT text FROM note", -1, &statement, nil)
            precondition(sqlite3_step(statement) == SQLITE_ROW)
            if kind != .unfinished { sqlite3_finalize(statement) }
            if kind == .encrypted { hideHeader() }
            return true
        }

        private func run(_ sql: String) {
            precondition(
                sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK, String(cString: sqlite3_errmsg(database)))
        }

        /// Overwrites the header of the database, so that it looks encrypted.
        ///
        /// Another process does it, because closing the file would release this process's locks on it.
        private func hideHeader() {
            let writer = Process()
            writer.executableURL = URL(filePath: "/bin/dd")
            writer.arguments = [
                "if=/dev/zero", "of=\(fileInGroup())", "bs=16", "count=1", "conv=notrunc", "status=none",
            ]
            try? writer.run()
            writer.waitUntilExit()
        }
    }

    extension SimulatedAppleTests {
        /// The sources are published mistakes and their remedies.
        ///
        /// - github.com/wikimedia/wikipedia-ios/pull/2646: time before the lock
        /// - github.com/session-foundation/session-ios/pull/415: the database in the app's own container
        /// - GRDB's "Database Sharing": suspension
        /// - github.com/singular-labs/Singular-iOS-SDK/issues/85: a statement that is not reset
        /// - github.com/owncloud/ios-app/pull/462: a write-ahead log
        /// - github.com/sqlcipher/sqlcipher/issues/255: an encrypted header
        @MainActor
        @Suite("A database in an app group")
        struct SharedDatabaseTests {
            private func log(of program: @convention(c) () -> Void, isEnded: Bool) throws -> [String] {
                try SimulatedDevice.run { device in
                    if isEnded { device.expect(.fileLockHeld) }
                    let manifest = AppManifest(usesScenes: false, appGroups: [group])
                    SimulatedPhone.install(on: device, manifest: manifest, program: program)
                    device.launch()
                    device.pressHome()
                    device.advance(by: .seconds(60))
                    #expect(device.appPhase == (isEnded ? nil : .suspended))
                    #expect(device.logText.contains("0xdead10cc file lock: \(group)/notes.sqlite") == isEnded)
                    return device.notes
                }
            }

            @Test(
                "an import that is still writing at the suspension ends the app; one that asked for time first does not"
            )
            func transaction() throws {
                #expect(try log(of: { SimulatedPhone.run(Importer(.mistaken)) }, isEnded: true) == [])
                #expect(try log(of: { SimulatedPhone.run(Importer(.covered)) }, isEnded: false) == ["imported"])
            }

            @Test("an import into the app's own container may be under way at the suspension")
            func ownContainer() throws {
                #expect(try log(of: { SimulatedPhone.run(Importer(.movedHome)) }, isEnded: false) == [])
            }

            @Test("GRDB gives up the transaction when it is notified of the suspension")
            func suspension() throws {
                let notes = try log(of: { SimulatedPhone.run(Importer(.suspending)) }, isEnded: false)
                #expect(notes == ["failed with 4 (query aborted)"])
            }

            @Test("a statement that was not reset ends the app; one that was finalized does not")
            func statement() throws {
                _ = try log(of: { SimulatedPhone.run(Reader(.unfinished)) }, isEnded: true)
                _ = try log(of: { SimulatedPhone.run(Reader(.finished)) }, isEnded: false)
            }

            @Test("an open database with a write-ahead log may be locked, unless its header is encrypted")
            func writeAheadLog() throws {
                _ = try log(of: { SimulatedPhone.run(Reader(.writeAheadLog)) }, isEnded: false)
                _ = try log(of: { SimulatedPhone.run(Reader(.encrypted)) }, isEnded: true)
            }
        }
    }
#endif
