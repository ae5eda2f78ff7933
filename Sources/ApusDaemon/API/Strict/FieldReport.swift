import ApusTimers

/// The fields of a document's objects: which there are, and which were asked for.
final class FieldReport: Sendable {
    private struct Object {
        var path: String
        var unknown: [String]
        /// In the order in which they were asked for.
        var asked: [String] = []
    }

    private let objects = Locked<[Object]>([])

    /// Notes an object.
    /// - Returns: its number, for ``asked(_:of:)``.
    func add(path: [any CodingKey], unknown: [String]) -> Int {
        objects.withLock { objects in
            objects.append(Object(path: Self.text(path), unknown: unknown.sorted()))
            return objects.count - 1
        }
    }

    func asked(_ key: any CodingKey, of object: Int) {
        objects.withLock { objects in
            if !objects[object].asked.contains(key.stringValue) { objects[object].asked.append(key.stringValue) }
        }
    }

    /// The first unknown field, as an error. The known ones are complete only if the document was decoded to its end.
    func problem(withKnown: Bool) -> DaemonError? {
        objects.withLock { objects in
            guard let object = objects.first(where: { !$0.unknown.isEmpty }) else { return nil }
            let prefix = object.path.isEmpty ? "" : object.path + "."
            let known = object.asked.isEmpty ? "there are none" : "known are \(object.asked.joined(separator: ", "))"
            return DaemonError(
                .invalid, "unknown field \(prefix)\(object.unknown[0].prefix(100))" + (withKnown ? "; \(known)" : ""))
        }
    }

    static func text(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
