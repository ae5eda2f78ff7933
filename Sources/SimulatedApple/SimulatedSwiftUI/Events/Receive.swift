#if SimulatedApple
    import Dispatch
    import SimulatedAppleCore

    /// Calls an action with what a publisher sends, for as long as its place is there.
    private struct Receiver<Content: View, P: Publisher>: View, Primitive where P.Failure == Never {
        typealias Body = Never
        let content: Content
        let publisher: P
        let action: (P.Output) -> Void

        private final class Subscription {
            var receiver: Receiver
            var cancellable: AnyCancellable?
            init(_ receiver: Receiver) { self.receiver = receiver }
        }

        func parts(in node: ViewNode) -> [ViewNode.Part] { [ViewNode.Part(element: content)] }

        func updated(in node: ViewNode) {
            if let subscription = node.memory as? Subscription {
                let isSame = Sameness.areSame(subscription.receiver.publisher, publisher)
                // The action of the last evaluation is called, also if the subscription continues.
                subscription.receiver = self
                if !isSame { subscribe(subscription, in: node) }
            } else {
                let subscription = Subscription(self)
                node.memory = subscription
                subscribe(subscription, in: node)
            }
        }

        private func subscribe(_ subscription: Subscription, in node: ViewNode) {
            node.graph.afterUpdate { [weak node] in
                guard let node, node.isInTree else { return }
                subscription.cancellable?.cancel()
                subscription.cancellable = publisher.sink { [weak subscription] output in
                    if MainThread.isCurrent {
                        subscription?.receiver.action(output)
                    } else {
                        let handover = Handover((subscription, output))
                        DispatchQueue.main.async { handover.value.0?.receiver.action(handover.value.1) }
                    }
                }
            }
        }

        func removed(from node: ViewNode) { (node.memory as? Subscription)?.cancellable?.cancel() }
    }

    extension View {
        /// Calls an action with what a publisher sends, on the main thread, for as long as the view is there.
        ///
        /// Rule: Apple, "onReceive(_:perform:)". When an evaluation brings another publisher, that is subscribed to,
        /// and the one before is left: a timer's publisher that is made in `body` begins anew with each evaluation.
        public func onReceive<P: Publisher>(_ publisher: P, perform action: @escaping (P.Output) -> Void) -> some View
        where P.Failure == Never {
            Receiver(content: self, publisher: publisher, action: action)
        }
    }
#endif
