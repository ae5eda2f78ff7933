import ApusTestSupport
import ApusVirtualTime
import Testing

@testable import ApusBackground
@testable import ApusTimers

@MainActor
@Suite("Requests of background jobs on an ordinary host")
struct JobRequestTests {
    private static let later = Duration.seconds(1_000)

    @Test("a request replaces the pending one with the same identifier")
    func replacement() throws {
        let bench = try JobsBench()
        try bench.register("a", "b")
        try bench.submit("a", in: .seconds(10))
        try bench.submit("b", in: .seconds(10))
        try bench.submit("a", .processing(), in: .seconds(20))
        #expect(try bench.pending() == ["b", "a"])
        bench.host.advance(by: .seconds(30))
        #expect(bench.diary == ["10 b begins", "20 a begins"])
        for name in ["a", "b"] { bench.finish(name) }
    }

    @Test("pending requests are limited only by the configuration, and a replacement does not count twice")
    func limits() throws {
        let names = (1...20).map { "job \($0)" }
        let free = try JobsBench()
        for name in names {
            try free.register(name)
            try free.submit(name, in: Self.later)
        }
        #expect(try free.pending() == names)
        try free.cancelAll()

        let bench = try JobsBench {
            $0.maximumPendingRefreshes = 1
            $0.maximumPendingProcessing = 2
        }
        try bench.register("a", "b", "c", "d")
        try bench.submit("a", in: Self.later)
        #expect(bench.code { try bench.submit("b", in: Self.later) } == .tooManyPending)
        try bench.submit("b", .processing(), in: Self.later)
        try bench.submit("c", .processing(), in: Self.later)
        #expect(bench.code { try bench.submit("d", .processing(), in: Self.later) } == .tooManyPending)
        try bench.submit("a", in: Self.later)
        #expect(try bench.pending() == ["b", "c", "a"])
        try bench.cancelAll()
        #expect(bench.isTidy)
    }

    @Test("only permitted identifiers are registered and submitted, where the configuration names them")
    func permitted() throws {
        let bench = try JobsBench { $0.permittedIdentifiers = ["com.example.news", "com.example.export.*"] }
        try bench.register("com.example.news", "com.example.export.1")
        for name in ["com.example.other", "com.example.export", "com.example.export.", ""] {
            let isPermitted = name.hasSuffix(".")
            #expect((bench.code { try bench.register(name) } == nil) == isPermitted, "\(name)")
        }
        #expect(bench.code { try bench.register("com.example.other") } == .notPermitted)
        #expect(bench.code { try bench.submit("com.example.other") } == .notPermitted)
    }

    @Test("a second handler for an identifier is refused, and a first one can be registered at any time")
    func registration() throws {
        let bench = try JobsBench()
        #expect(bench.code { try bench.submit("news") } == .notRegistered)
        bench.host.advance(by: Self.later, step: Self.later)
        try bench.register("news")
        #expect(bench.code { try bench.register("news") } == .alreadyRegistered)
        try bench.submit("news")
        #expect(bench.diary == ["1000 news begins"])
        bench.finish("news")
    }

    @Test("an empty identifier and continued work without a title are refused")
    func invalid() throws {
        let bench = try JobsBench()
        #expect(bench.code { try bench.register("") } == .invalidArgument)
        #expect(bench.code { try bench.submit("") } == .invalidArgument)
        try bench.register("export")
        let untitled = BackgroundJobRequest.Kind.continued(ContinuedJob(title: ""))
        #expect(bench.code { try bench.submit("export", untitled) } == .invalidArgument)
    }

    @Test("cancelling stops a request, not a run that has begun, and accepts an unknown identifier")
    func cancellation() throws {
        let bench = try JobsBench()
        try bench.register("a", "b", "c")
        try bench.submit("a", in: .seconds(10))
        try bench.submit("b")
        try bench.submit("c", in: .seconds(20))
        try bench.cancel("a")
        try bench.cancel("b")
        try bench.cancel("unknown")
        #expect(try bench.pending() == ["c"])
        #expect(bench.running() == ["b"])
        bench.host.advance(by: .seconds(15))
        try bench.cancelAll()
        bench.host.advance(by: .seconds(10))
        bench.finish("b")
        #expect(bench.diary == ["0 b begins"])
        #expect(bench.isTidy)
    }

    @Test("a simulated launch begins a pending request regardless of the rules")
    func simulatedLaunch() throws {
        let bench = try JobsBench(
            DeviceConditions(network: DeviceConditions.Network.none, isOnExternalPower: false, batteryLevel: 0.1))
        try bench.register("news", "upload")
        try bench.submit("news", in: Self.later)
        try bench.submit("upload", .processing(requiresNetwork: true))
        bench.host.enter(.background)
        #expect(bench.code { try bench.simulateLaunch("other") } == .notPending)
        try bench.simulateLaunch("news")
        try bench.simulateLaunch("upload")
        #expect(bench.diary == ["0 news begins", "0 upload begins"])
        #expect(bench.code { try bench.simulateLaunch("news") } == .notPending)
        bench.host.change { $0.isIdle = false }
        #expect(bench.running() == ["news", "upload"])
        for name in ["news", "upload"] { bench.finish(name) }
        #expect(bench.isTidy)
    }

    @Test("a simulated launch that the host refuses leaves the request pending")
    func simulatedLaunchRefused() throws {
        let bench = try JobsBench()
        try bench.register("news")
        try bench.submit("news", in: Self.later)
        bench.host.refuse(true)
        #expect(bench.code { try bench.simulateLaunch("news") } == .unavailable)
        #expect(try bench.pending() == ["news"])
        try bench.cancelAll()
        #expect(bench.isTidy)
    }

    @Test("a simulated expiration expires a run, and only a run")
    func simulatedExpiration() throws {
        let bench = try JobsBench()
        try bench.register("news")
        #expect(bench.code { try bench.simulateExpiration("news") } == .notRunning)
        try bench.submit("news", in: .seconds(10))
        #expect(bench.code { try bench.simulateExpiration("news") } == .notRunning)
        bench.host.advance(by: .seconds(10))
        try bench.simulateExpiration("news")
        #expect(bench.diary == ["10 news begins", "10 news is cancelled"])
        #expect(bench.isTidy)
    }

    @Test("every obstacle of a pending request is named, and a request that is not pending has none")
    func whyNot() throws {
        let bench = try JobsBench(DeviceConditions(isOnExternalPower: false, batteryLevel: 0.1, isLowPowerMode: true))
        try bench.register("news")
        try bench.submit("news", in: .seconds(10))
        bench.host.enter(.background)
        let instant = bench.host.time.wall().advanced(by: .seconds(10))
        #expect(
            bench.jobs.obstacles(for: "news") == [.appInBackground, .notBefore(instant), .lowBattery, .lowPowerMode])
        #expect(bench.jobs.obstacles(for: "other") == [])
        try bench.cancel("news")
        #expect(bench.jobs.obstacles(for: "news") == [])
    }
}
