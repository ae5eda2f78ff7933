import ApusApple
import ApusBackground
import Testing

@Suite("AppleMainLoop")
struct AppleMainLoopTests {
    // Only the common mode is tested, because the default mode needs a main run loop, which no test has on Linux.
    @Test("work in common mode runs on the main actor, first in first out, and never before the call returns")
    func common() async {
        let order = await Self.order()
        #expect(order == [0, 1, 2, 3])
    }

    @MainActor
    private static func order() async -> [Int] {
        final class Box { var numbers: [Int] = [] }
        let box = Box()
        await withCheckedContinuation { continuation in
            for number in 1...3 { AppleMainLoop().run { box.numbers.append(number) } }
            AppleMainLoop().run { continuation.resume() }
            box.numbers.append(0)
        }
        return box.numbers
    }
}
