#if SQLite
    import Foundation
    import Synchronization

    /// Counts from 1.
    final class Counter: Sendable {
        private let value = Atomic(0)
        func next() -> Int { value.add(1, ordering: .relaxed).newValue }
    }

    func removeAll(in directory: Directory) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            try FileManager.default.removeItem(atPath: directory.file(name))
        }
    }
#endif
