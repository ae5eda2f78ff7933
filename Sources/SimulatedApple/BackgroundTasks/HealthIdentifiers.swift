import SimulatedAppleCore

/// Which processing requests are those of a health study: the scheduler has one kind for both.
enum HealthIdentifiers {
    private static let name = "health studies"

    private static var all: Set<String> {
        SimulatedPhone.process.records[name].flatMap { try? JSONDecoder().decode(Set<String>.self, from: $0) } ?? []
    }

    static func contains(_ identifier: String) -> Bool { all.contains(identifier) }

    static func note(_ request: BGTaskRequest) {
        var identifiers = all
        let isNew =
            request is BGHealthResearchTaskRequest
            ? identifiers.insert(request.identifier).inserted : identifiers.remove(request.identifier) != nil
        if isNew { SimulatedPhone.process.records[name] = try? JSONEncoder().encode(identifiers) }
    }
}
