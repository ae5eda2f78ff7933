// swift-tools-version: 6.2
import PackageDescription

// Programs that use the libraries like any other package: the sample apps, and the examples of the documents.

/// The language features that the examples enable, each with its proposal.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
]

func apus(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "apus") } }

func nio(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "swift-nio") } }

let command: (String) -> Target.Dependency = { .product(name: $0, package: "Command") }
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

// On Apple's systems the examples use the real frameworks.
#if os(Linux)
    let appleFrameworks = apus("SimulatedApple")
#else
    let appleFrameworks: [Target.Dependency] = []
#endif

let package = Package(
    name: "apus-examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "apus", path: "..", traits: ["All"]),
        // Sleepless uses the daemon's web server; the documents' command lines are checked against the built command.
        .package(path: "../Command"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.95.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.17.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.9.0"),
    ],
    targets: [
        // The sample app and its server: `make demo`.
        .target(
            name: "SleeplessApp", dependencies: apus("ApusBackground", "ApusTimers"), path: "Sleepless/App",
            swiftSettings: settings),
        .executableTarget(
            name: "Sleepless",
            dependencies: [
                "SleeplessApp", command("LoopbackWeb"), argumentParser, hummingbird, logging,
            ]
                + apus("ApusBackground", "ApusFoundation", "ApusJobs", "ApusLinux", "ApusTesting", "ApusTimers")
                + nio("NIOCore"),
            path: "Sleepless", exclude: ["App", "Tests", "compare-speeds"], sources: ["Server"],
            resources: [.copy("Web")], swiftSettings: settings),
        .testTarget(
            name: "SleeplessTests",
            dependencies: [
                "Sleepless", "SleeplessApp", command("LoopbackWeb"), command("_LoopbackWebTestSupport"), logging,
            ] + apus("ApusBackground", "ApusTesting", "ApusTimers") + nio("NIOCore", "NIOHTTP1"),
            path: "Sleepless/Tests", swiftSettings: settings),
        // Compiles the documents' examples, and checks the documents' command lines against the built command.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                command("apusd"), logging, .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
                + apus(
                    "Apus", "ApusApple", "ApusBackground", "ApusCalendar", "ApusFoundation", "ApusJobs", "ApusLinux",
                    "ApusPostgres", "ApusServiceLifecycle", "ApusSQLite", "ApusTestTraits", "ApusTesting",
                    "ApusTimers", "ApusTracing")
                + appleFrameworks,
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// The app that records how a phone behaves, and the comparison with the simulated phone: Scripts/calibrate. For a phone,
// Xcode compiles the folder App alone.
#if os(Linux)
    package.targets += [
        .executableTarget(
            name: "Calibrate", dependencies: [argumentParser] + apus("ApusTesting", "SimulatedApple"),
            path: "Calibration", exclude: ["Info.plist", "Tests"], swiftSettings: settings),
        .testTarget(
            name: "CalibrationTests", dependencies: ["Calibrate"] + apus("ApusTestTraits", "ApusTesting"),
            path: "Calibration/Tests", swiftSettings: settings),
    ]
#endif
