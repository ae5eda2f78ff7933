import Testing

@testable import ApusJobs

@Suite("Values that share their place in memory")
struct SharedTests {
    private func place(_ shared: inout Shared<Int>) -> UnsafeRawPointer {
        withUnsafeMutablePointer(to: &shared.value) { UnsafeRawPointer($0) }
    }

    @Test("a copy keeps its value when the other one changes")
    func copy() {
        var first = Shared(1)
        let second = first
        first.value += 1
        #expect(first.value == 2 && second.value == 1 && first != second)
    }

    @Test("a value without a copy is changed in its place, and a copied one in a new place")
    func inPlace() {
        var first = Shared(1)
        // One after the other: a copy is made while the earlier place is taken.
        let (before, after) = (place(&first), place(&first))
        #expect(before == after)
        let second = first
        #expect(place(&first) != before)
        #expect(first == second)
    }
}
