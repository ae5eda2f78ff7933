import Testing

@testable import ApusJobs

@Suite("Values that share their place in memory")
struct SharedTests {
    private func place(_ shared: inout Shared<Int>) -> UnsafeRawPointer {
        withUnsafeMutablePointer(to: &shared.value) { UnsafeRawPointer($0) }
    }

    @Test("a copy keeps its value when the original changes")
    func copy() {
        var first = Shared(1)
        let second = first
        first.value += 1
        #expect(first.value == 2 && second.value == 1 && first != second)
    }

    @Test("a value without a copy is changed in place, and a copied one in a new allocation")
    func inPlace() {
        var first = Shared(1)
        // If a change made a copy, the copy would have another address, because the earlier allocation would still be
        // in use.
        let (before, after) = (place(&first), place(&first))
        #expect(before == after)
        let second = first
        #expect(place(&first) != before)
        #expect(first == second)
    }
}
