/// Why a test on a simulated device fails: the app broke rules that the test did not expect to be broken.
public struct DeviceError: Error, Sendable, CustomStringConvertible {
    /// Faults that were not expected.
    public let unexpectedFaults: [Fault]
    /// Rules of which a fault was expected that did not come.
    public let missingFaults: [Fault.Rule]
    /// The seed of the device, to run it again.
    public let seed: UInt64

    /// Everything that is wrong, one line each.
    public var description: String {
        var lines = ["the simulated device (seed \(seed)) differs from what the test expects:"]
        lines += unexpectedFaults.map { "  unexpected fault, \($0)" }
        lines += missingFaults.map { "  expected fault that did not come: \($0)" }
        return lines.joined(separator: "\n")
    }
}
