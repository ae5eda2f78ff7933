import Synchronization

/// Counts tasks that were started and have not returned.
final class TaskCounter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .acquiring) }
    func add(_ number: Int) { count.wrappingAdd(number, ordering: .acquiringAndReleasing) }
}
