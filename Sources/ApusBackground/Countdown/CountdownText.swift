/// Times as clocks show them: `0:07`, `12:34`, `1:05:09`, and hours beyond 99.
public enum CountdownText {
    /// What is left, rounded up to the second, so that `0:00` means done. Less than nothing is nothing.
    public static func remaining(_ duration: Duration) -> String { text(WholeSeconds.up(duration)) }

    /// What has passed, rounded down to the second.
    public static func elapsed(_ duration: Duration) -> String { text(WholeSeconds.down(duration)) }

    private static func text(_ seconds: Int64) -> String {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let rest = padded(seconds % 60)
        return hours > 0 ? "\(hours):\(padded(minutes)):\(rest)" : "\(minutes):\(rest)"
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
