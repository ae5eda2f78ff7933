#if SimulatedApple
    import ApusTimers
    import SimulatedAppleCore

    /// The instants at which a timeline is evaluated: a periodic schedule, or each full minute.
    ///
    /// Rule: Apple, "TimelineSchedule".
    public struct TimelineInstants: Sendable {
        let start: Date
        let interval: TimeInterval

        /// Returns the schedule that begins at `startDate` and repeats every `interval` seconds.
        ///
        /// Rule: Apple, "PeriodicTimelineSchedule".
        public static func periodic(from startDate: Date, by interval: TimeInterval) -> TimelineInstants {
            TimelineInstants(start: startDate, interval: interval)
        }

        /// The schedule of each full minute.
        ///
        /// Rule: Apple, "EveryMinuteTimelineSchedule".
        public static var everyMinute: TimelineInstants {
            TimelineInstants(start: Date(timeIntervalSinceReferenceDate: 0), interval: 60)
        }

        /// Returns the last instant that is not later than `date`; the start if `date` is before it.
        func last(until date: Date) -> Date {
            max(start, start.addingTimeInterval((date.timeIntervalSince(start) / interval).rounded(.down) * interval))
        }

        /// Returns the first instant that is later than `date`.
        func next(after date: Date) -> Date {
            date < start ? start : last(until: date).addingTimeInterval(interval)
        }
    }

    /// The context that the content of a ``TimelineView`` receives.
    public struct TimelineContext: Sendable {
        /// The last instant of the schedule that has passed, or the first instant if none has passed yet.
        public let date: Date
    }

    /// A view that is evaluated at the instants of a schedule.
    ///
    /// Rule: Apple, "TimelineView". It follows the schedule whenever the app runs, including in the background.
    public struct TimelineView<Content: View>: View, Primitive {
        /// The type of the body: none, because the graph handles this type itself.
        public typealias Body = Never

        /// The context that the content receives.
        public typealias Context = TimelineContext

        private let instants: TimelineInstants
        private let content: (TimelineContext) -> Content

        /// Creates a view that is evaluated at the instants of a schedule.
        public init(_ schedule: TimelineInstants, @ViewBuilder content: @escaping (TimelineContext) -> Content) {
            (instants, self.content) = (schedule, content)
        }

        private static var now: Date { SimulatedPhone.date(of: SimulatedPhone.process.host.engine.time.wall()) }

        func parts(in node: ViewNode) -> [ViewNode.Part] {
            [ViewNode.Part(element: content(TimelineContext(date: instants.last(until: Self.now))))]
        }

        func updated(in node: ViewNode) {
            (node.memory as? Timer)?.invalidate()
            let timer = Timer(fire: instants.next(after: Self.now), interval: 0, repeats: false) { [weak node] _ in
                if let node { node.graph.invalidate(node) }
            }
            node.memory = timer
            RunLoop.main.add(timer, forMode: .common)
        }

        func removed(from node: ViewNode) { (node.memory as? Timer)?.invalidate() }
    }
#endif
