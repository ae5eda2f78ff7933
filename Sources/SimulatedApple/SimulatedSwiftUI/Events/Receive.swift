#if SimulatedApple
    import Dispatch
    import SimulatedAppleCore

    /// A view that calls an action with the elements of a publisher while its node is in the tree.
    private struct Receiver<Content: View, P: Publisher>: View, Wrapper where P.Failure == Never {
        typealias Body = Never
        let content: Content
        let publisher: P
        let action: (P.Output) -> Void

        private final class Subscription {
            var receiver: Receiver
            var cancellable: AnyCancellable?
            init(_ receiver: Receiver) { self.receiver = receiver }
        }

        func updated(in node: ViewNode) {
            if let subscription = node.memory as? Subscription {
                let isSame = Sameness.areSame(subscription.receiver.publisher, publisher)
                // The action of the latest evaluation is called, even if the subscription was made by an earlier
                // evaluation.
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
        /// Calls an action on the main thread with the elements of a publisher, while the view exists.
        ///
        /// Rule: Apple, "onReceive(_:perform:)". When an evaluation provides another publisher, the view subscribes to
        /// it and cancels the previous subscription, so a timer's publisher that is created in `body` restarts with
        /// each evaluation.
        public func onReceive<P: Publisher>(_ publisher: P, perform action: @escaping (P.Output) -> Void) -> some View
        where P.Failure == Never {
            Receiver(content: self, publisher: publisher, action: action)
        }
    }
#endif
