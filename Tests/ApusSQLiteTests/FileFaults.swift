#if SQLite
    import ApusTimers
    import Foundation
    import GRDBSQLite

    /// Injects faults between SQLite and the operating system for all databases of this process.
    ///
    /// It counts syncs, makes the syncs of one file fail, and counts sleeps instead of sleeping.
    enum FileFaults {
        private struct State {
            /// The paths of open files, by their addresses.
            var paths: [UInt: String] = [:]
            var syncs: [String: Int] = [:]
            /// The path of the file whose syncs fail.
            var failing: String?
            /// The microseconds that each thread would have slept; `nil` while sleeping is real.
            var slept: [ObjectIdentifier: Int]?
            /// The addresses of the system's methods, by the addresses of the methods that replace them.
            var methods: [UInt: UInt] = [:]
        }
        private typealias Methods = UnsafePointer<sqlite3_io_methods>

        private static let state = Locked(State())
        private nonisolated(unsafe) static let system: UnsafeMutablePointer<sqlite3_vfs> = sqlite3_vfs_find(nil)

        /// Watches all files that are opened later.
        static func install() { _ = installed }

        private static let installed: Void = {
            let watching = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
            watching.initialize(to: system.pointee)
            watching.pointee.pNext = nil
            watching.pointee.zName = UnsafePointer(strdup("apus-tests"))
            watching.pointee.xOpen = { _, name, file, flags, given in FileFaults.open(name, file, flags, given) }
            watching.pointee.xSleep = { _, microseconds in FileFaults.sleep(microseconds) }
            sqlite3_vfs_register(watching, 1)
        }()

        private static func open(
            _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
            _ given: UnsafeMutablePointer<Int32>?
        ) -> Int32 {
            let code = system.pointee.xOpen(system, name, file, flags, given)
            guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods else { return code }
            let (path, address, own) = (
                name.map { String(cString: $0) } ?? "", UInt(bitPattern: file), UInt(bitPattern: methods)
            )
            let watched = state.withLock { state -> UInt in
                state.paths[address] = path
                if let known = state.methods.first(where: { $0.value == own })?.key { return known }
                let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
                copy.initialize(to: Methods(bitPattern: own)!.pointee)
                copy.pointee.xSync = { file, flags in FileFaults.sync(file, flags) }
                state.methods[UInt(bitPattern: copy)] = own
                return UInt(bitPattern: copy)
            }
            file.pointee.pMethods = Methods(bitPattern: watched)
            return code
        }

        private static func sync(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
            let (address, methods) = (UInt(bitPattern: file), UInt(bitPattern: file?.pointee.pMethods))
            let system = state.withLock { state -> UInt? in
                let path = state.paths[address] ?? ""
                state.syncs[path, default: 0] += 1
                return path == state.failing ? nil : state.methods[methods]
            }
            // Swift cannot import SQLITE_IOERR_FSYNC.
            guard let system = system.flatMap(Methods.init(bitPattern:)) else { return SQLITE_IOERR | (4 << 8) }
            return system.pointee.xSync(file, flags)
        }

        private static func sleep(_ microseconds: Int32) -> Int32 {
            let isCounted = state.withLock { state in
                if state.slept == nil { return false }
                state.slept![ObjectIdentifier(Thread.current), default: 0] += Int(microseconds)
                return true
            }
            return isCounted ? microseconds : system.pointee.xSleep(system, microseconds)
        }

        // MARK: What tests ask for

        static func syncs(of path: String) -> Int { state.withLock { $0.syncs[path] ?? 0 } }

        /// Makes each sync of the file fail while `body` runs, as on a broken disk.
        static func failingSyncs(of path: String, _ body: () async throws -> Void) async throws {
            state.withLock { $0.failing = path }
            defer { state.withLock { $0.failing = nil } }
            try await body()
        }

        /// Runs `body` while SQLite's sleeps are only counted.
        ///
        /// - Returns: the longest sleep that any one thread would have made.
        static func withoutRealSleep(_ body: () async throws -> Void) async rethrows -> Duration {
            state.withLock { $0.slept = [:] }
            defer { state.withLock { $0.slept = nil } }
            try await body()
            return .microseconds(state.withLock { $0.slept?.values.max() ?? 0 })
        }
    }
#endif
