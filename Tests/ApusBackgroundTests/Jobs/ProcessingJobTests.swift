import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusBackground
@testable import ApusTimers

@MainActor
@Suite("Processing jobs of an ordinary host")
struct ProcessingJobTests {
    /// A condition that a processing job may need.
    ///
    /// Each case has the states of a device that does not meet the condition and of one that does.
    enum Need: CaseIterable {
        case network, power, idleness

        var kind: BackgroundJobRequest.Kind {
            switch self {
            case .network: .processing(requiresNetwork: true)
            case .power: .processing(requiresExternalPower: true)
            case .idleness: .processing()
            }
        }

        var obstacle: BackgroundJobObstacle {
            switch self {
            case .network: .noNetwork
            case .power: .noExternalPower
            case .idleness: .deviceInUse
            }
        }

        func set(_ isMet: Bool, _ conditions: inout DeviceConditions) {
            switch self {
            case .network: conditions.network = isMet ? .constrained : DeviceConditions.Network.none
            case .power: conditions.isOnExternalPower = isMet
            case .idleness: conditions.isIdle = isMet
            }
        }
    }

    static let ideal = DeviceConditions(network: .available, isOnExternalPower: true, isIdle: true)

    @Test("a processing job waits for what it needs", arguments: Need.allCases)
    func waits(need: Need) throws {
        let bench = try JobsBench(Self.ideal)
        bench.host.change { need.set(false, &$0) }
        try bench.register("index")
        try bench.submit("index", need.kind)
        bench.host.advance(by: .seconds(10))
        #expect(bench.jobs.obstacles(for: "index") == [need.obstacle])
        #expect(bench.diary == [])
        bench.host.change { need.set(true, &$0) }
        #expect(bench.diary == ["10 index begins"])
        bench.finish("index")
        #expect(bench.isTidy)
    }

    @Test("a processing job begins without conditions that it did not require")
    func needsNothing() throws {
        let bench = try JobsBench(DeviceConditions(network: DeviceConditions.Network.none, isOnExternalPower: false))
        try bench.register("index")
        try bench.submit("index", .processing())
        #expect(bench.diary == ["0 index begins"])
        bench.finish("index")
    }

    @Test("a processing job expires when what it needs is lost", arguments: Need.allCases)
    func loses(need: Need) throws {
        let bench = try JobsBench(Self.ideal)
        try bench.register("index")
        try bench.submit("index", need.kind)
        bench.run("index")?.onExpiration { [host = bench.host] in host.note("expired") }
        bench.host.advance(by: .seconds(10))
        bench.host.change { need.set(false, &$0) }
        #expect(bench.diary == ["0 index begins", "10 expired", "10 index is cancelled"])
        #expect(bench.isTidy)
    }

    @Test("a processing job keeps running when a condition that it did not require is lost")
    func losesOther() throws {
        let bench = try JobsBench(Self.ideal)
        try bench.register("index")
        try bench.submit("index", .processing())
        bench.host.set(
            DeviceConditions(network: DeviceConditions.Network.none, isOnExternalPower: false, isIdle: true))
        #expect(bench.running() == ["index"])
        bench.finish("index")
    }

    @Test("a condition that the host does not know counts as met, unless the configuration says otherwise")
    func unknown() throws {
        let kind = BackgroundJobRequest.Kind.processing(requiresNetwork: true, requiresExternalPower: true)
        let trusting = try JobsBench()
        try trusting.register("index")
        try trusting.submit("index", kind)
        #expect(trusting.diary == ["0 index begins"])
        trusting.finish("index")

        let strict = try JobsBench { $0.unknownCountsAsMet = false }
        try strict.register("index")
        try strict.submit("index", kind)
        #expect(strict.diary == [])
        #expect(strict.jobs.obstacles(for: "index") == [.noNetwork, .noExternalPower, .deviceInUse])
        try strict.cancelAll()
        #expect(strict.isTidy)
    }

    @Test("a processing job expires when its time is over")
    func timeLimit() throws {
        let bench = try JobsBench { $0.processingTimeLimit = .seconds(120) }
        try bench.register("index")
        try bench.submit("index", .processing())
        bench.host.advance(by: .seconds(200))
        #expect(bench.diary == ["0 index begins", "120 index is cancelled"])
        #expect(bench.isTidy)
    }

    @Test("processing jobs beyond the limit follow in the order of their submission")
    func atOnce() throws {
        let bench = try JobsBench { $0.maximumProcessingRuns = 2 }
        for name in ["a", "b", "c", "d"] {
            try bench.register(name)
            try bench.submit(name, .processing())
        }
        #expect(bench.running() == ["a", "b"])
        #expect(bench.jobs.obstacles(for: "c") == [.busy])
        bench.host.advance(by: .seconds(5))
        bench.finish("b")
        #expect(bench.running() == ["a", "c"])
        bench.finish("a")
        #expect(bench.running() == ["c", "d"])
        for name in ["c", "d"] { bench.finish(name) }
        #expect(bench.isTidy)
    }

    @Test("a job that waits for its conditions lets later jobs pass")
    func passing() throws {
        let bench = try JobsBench(DeviceConditions(network: DeviceConditions.Network.none))
        try bench.register("upload", "index")
        try bench.submit("upload", .processing(requiresNetwork: true))
        try bench.submit("index", .processing())
        #expect(bench.running() == ["index"])
        bench.finish("index")
        bench.host.set(DeviceConditions(network: .available))
        #expect(bench.running() == ["upload"])
        bench.finish("upload")
    }

    @Test("a low battery does not delay a processing job, and no spacing applies to it")
    func notRefresh() throws {
        let bench = try JobsBench(DeviceConditions(isOnExternalPower: false, batteryLevel: 0.1, isLowPowerMode: true))
        try bench.register("index")
        try bench.submit("index", .processing())
        bench.finish("index")
        try bench.submit("index", .processing())
        bench.finish("index")
        #expect(bench.diary == ["0 index begins", "0 index begins"])
    }
}
