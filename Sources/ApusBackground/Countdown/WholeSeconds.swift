/// Durations in whole seconds, not below zero.
enum WholeSeconds {
    static func up(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return attoseconds > 0 && seconds < .max ? max(0, seconds + 1) : max(0, seconds)
    }

    static func down(_ duration: Duration) -> Int64 { max(0, duration.components.seconds) }
}
