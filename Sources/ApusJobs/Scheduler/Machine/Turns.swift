/// A first-in, first-out queue of elements that take turns; the caller ensures that each is in it at most once.
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
