import ApusTimers
import SimulatedPhone

/// Which processing requests are those of a health study: the scheduler has one kind for both.
final class HealthIdentifiers: Sendable {
    private let identifiers = Locked<Set<String>>([])

    private static var ofPhone: HealthIdentifiers {
        SimulatedPhone.process.kept.object(of: HealthIdentifiers.self) { HealthIdentifiers() }
    }

    static func contains(_ identifier: String) -> Bool {
        ofPhone.identifiers.withLock { $0.contains(identifier) }
    }

    static func note(_ request: BGTaskRequest) {
        let (identifier, isHealth) = (request.identifier, request is BGHealthResearchTaskRequest)
        ofPhone.identifiers.withLock { identifiers in
            if isHealth { identifiers.insert(identifier) } else { identifiers.remove(identifier) }
        }
    }
}
