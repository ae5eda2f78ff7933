/// A binary heap with the least element first.
package struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    package var isEmpty: Bool { elements.isEmpty }
    var count: Int { elements.count }
    package var first: Element? { elements.first }

    package init(_ elements: [Element] = []) {
        // A sorted array is a heap.
        self.elements = elements.sorted()
    }

    package mutating func push(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    package mutating func pop() -> Element? {
        guard let first = elements.first else { return nil }
        let last = elements.removeLast()
        if elements.isEmpty { return first }
        elements[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in (2 * parent + 1)...(2 * parent + 2)
            where child < elements.count && elements[child] < elements[least] { least = child }
            if least == parent { return first }
            elements.swapAt(parent, least)
            parent = least
        }
    }

    /// Drops the elements that do not satisfy the predicate.
    mutating func keep(_ isKept: (Element) -> Bool) { self = Heap(elements.filter(isKept)) }
}
