#if canImport(Glibc)
    import ApusTestSupport
    import CApus
    import Foundation
    import Glibc
    import Testing

    @Suite("Freed memory")
    struct FreedMemoryTests {
        private static let size = 65_536

        private static func residentPages() throws -> Int {
            let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return Int(fields[1]) ?? 0
        }

        @Test("memory between pieces that are in use is returned to the system")
        func returned() async {
            await #expect(processExitsWith: .success) {
                // 256 MB, in pieces that are too small for mappings of their own.
                let pairs = (0..<4_096).map { _ in (freed: malloc(Self.size), kept: malloc(32)) }
                for case let freed? in pairs.map(\.freed) { memset(freed, 1, Self.size) }
                for pair in pairs { free(pair.freed) }
                let before = try Self.residentPages()
                capus_release_freed_memory()
                let returned = (before - (try Self.residentPages())) * Int(getpagesize())
                for pair in pairs { free(pair.kept) }
                guard returned > 200 << 20 else { throw Failure("only \(returned) bytes were returned") }
            }
        }
    }
#endif
