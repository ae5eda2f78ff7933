public import ApusBackground

/// What a job's occurrences wait for, beside their instant: all of these at once.
///
/// Only what a host knows can hold a job back. A condition of which the host knows nothing counts as met, and without a
/// host all do. So a server without a battery is on external power, and on Linux the host does not know so far whether
/// the machine is idle, so that jobs do not wait for that there.
public struct JobConditions: OptionSet, Hashable, Sendable {
    /// One bit for each condition. Stores keep it, so a bit never changes its meaning.
    public let rawValue: Int

    /// The conditions of these bits. Bits without a condition are refused by ``JobScheduler/submit(_:)->Job``.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// There is a connection to the network, also one that costs.
    public static let network = JobConditions(rawValue: 1)
    /// The device is plugged in.
    public static let externalPower = JobConditions(rawValue: 2)
    /// The device is not in use.
    public static let idle = JobConditions(rawValue: 4)

    static let all: JobConditions = [.network, .externalPower, .idle]

    /// The conditions that do not hold on a device. One of which nothing is known counts as met.
    public static func unmet(on device: DeviceConditions) -> JobConditions {
        var unmet: JobConditions = []
        if device.isOnline == false { unmet.insert(.network) }
        if device.isOnExternalPower == false { unmet.insert(.externalPower) }
        if device.isIdle == false { unmet.insert(.idle) }
        return unmet
    }

    /// What is in the way of a job while these conditions do not hold, as of a background job.
    public var obstacles: [BackgroundJobObstacle] {
        var obstacles: [BackgroundJobObstacle] = []
        if contains(.network) { obstacles.append(.noNetwork) }
        if contains(.externalPower) { obstacles.append(.noExternalPower) }
        if contains(.idle) { obstacles.append(.deviceInUse) }
        return obstacles
    }
}
