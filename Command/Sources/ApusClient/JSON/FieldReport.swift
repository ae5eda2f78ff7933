/// The first object of a document that has fields which its type does not know, and those that it does.
final class FieldReport {
    private var path = ""
    /// The first one by its name.
    private var unknown: String?
    /// In the order in which they were asked for.
    private var asked: [String] = []

    /// Notes the unknown fields of an object.
    /// - Returns: whether it is the first object that has any, so that what is asked of it is noted too.
    func add(path: [any CodingKey], unknown: [String]) -> Bool {
        guard self.unknown == nil, let first = unknown.min() else { return false }
        self.path = path.fieldPath
        self.unknown = first
        return true
    }

    /// Notes a field that the type knows, of the first object with unknown ones.
    func asked(_ key: any CodingKey) {
        if !asked.contains(key.stringValue) { asked.append(key.stringValue) }
    }

    /// The unknown field, as an error. The known ones are complete only if the document was decoded to its end.
    func problem(withKnown: Bool) -> DaemonError? {
        guard let unknown else { return nil }
        let prefix = path.isEmpty ? "" : path + "."
        let known = asked.isEmpty ? "there are none" : "known are \(asked.joined(separator: ", "))"
        return DaemonError(.invalid, "unknown field \(prefix)\(unknown.prefix(100))" + (withKnown ? "; \(known)" : ""))
    }
}
