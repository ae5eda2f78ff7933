import Testing

@testable import ApusApple

@Suite("The background task between Apus and UIKit")
struct AppleBackgroundTaskMachineTests {
    /// An event of a background task, which may come from any thread.
    private enum Event: CaseIterable {
        case granted, refused, expired, ended
    }

    /// All orders of events in which UIKit answers a request once.
    private static var orders: [[Event]] {
        var orders: [[Event]] = [[]]
        for _ in 0..<5 {
            orders += orders.filter { $0.count == orders.last?.count }.flatMap { order in
                Event.allCases.filter { event in
                    switch event {
                    case .granted, .refused: !order.contains(.granted) && !order.contains(.refused)
                    case .expired: !order.contains(.refused)
                    case .ended: true
                    }
                }.map { order + [$0] }
            }
        }
        return orders.filter { $0.contains(.granted) || $0.contains(.refused) }
    }

    @Test(
        "in every order of events an identifier is ended exactly once, and its handler called at most once")
    func everyOrder() {
        #expect(Self.orders.count > 100)
        for order in Self.orders {
            var machine = AppleBackgroundTaskMachine<Int>()
            var (ends, handlerCalls, saysEnded) = (0, 0, 0)
            for event in order {
                switch event {
                case .granted: if machine.granted(7) == .end(7) { ends += 1 }
                case .refused: if machine.refused() == .callHandler { handlerCalls += 1 }
                case .expired: if machine.expire() == .callHandler { handlerCalls += 1 }
                case .ended:
                    switch machine.end() {
                    case .end(let id):
                        #expect(id == 7)
                        (ends, saysEnded) = (ends + 1, saysEnded + 1)
                    case .endLater: saysEnded += 1
                    case .alreadyEnded: break
                    }
                }
            }
            let (isGranted, isEnded) = (order.contains(.granted), order.contains(.ended))
            #expect(ends == (isGranted && isEnded ? 1 : 0), "\(order)")
            #expect(handlerCalls <= 1, "\(order)")
            if order.first == .refused { #expect(handlerCalls == 1 && saysEnded == 0, "\(order)") }
            if isGranted, isEnded { #expect(saysEnded == 1, "\(order)") }
            let (expired, ended) = (order.firstIndex(of: .expired), order.firstIndex(of: .ended))
            if let expired, expired < ended ?? .max { #expect(handlerCalls == 1, "\(order)") }
        }
    }
}
