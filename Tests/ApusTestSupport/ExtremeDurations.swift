extension Duration {
    /// Durations at the bounds of every range of numbers to which code may convert durations.
    package static var extremes: [Duration] {
        let ends: [Duration] = [
            .zero, Duration(attoseconds: 1), .nanoseconds(1) - Duration(attoseconds: 1), .nanoseconds(1),
            .nanoseconds(1) + Duration(attoseconds: 1), .milliseconds(1), .seconds(1), .milliseconds(Int32.max),
            .seconds(Int32.max), .nanoseconds(Int64.max), .microseconds(Int64.max), .milliseconds(Int64.max),
            .seconds(Int64.max), .seconds(Int64.max) + .seconds(Int64.max), Duration(attoseconds: .max),
        ]
        return ends + ends.dropFirst().map { .zero - $0 } + [.seconds(Int64.min), Duration(attoseconds: .min)]
    }
}
