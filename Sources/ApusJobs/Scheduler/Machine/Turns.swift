/// A queue of those who take turns: first in, first out. Each is in it once; the caller sees to that.
struct Turns<Element> {
    private var elements: [Element] = []
    private var first = 0

    var count: Int { elements.count - first }

    var all: ArraySlice<Element> { elements[first...] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        first += 1
        defer {
            if 2 * first > elements.count {
                elements.removeFirst(first)
                first = 0
            }
        }
        return elements[first - 1]
    }
}
