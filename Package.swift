// swift-tools-version: 6.2
import PackageDescription

// The libraries. The daemon and the command are in Command/, the sample apps in Examples/.
//
// A package that depends on this one fetches swift-log and swift-metrics. What only one library needs has a trait,
// without which the library is empty and its packages are not fetched.

// MARK: Traits

let sqlite = "SQLite"
let postgres = "Postgres"
let tracing = "Tracing"
let serviceLifecycle = "ServiceLifecycle"
let simulatedApple = "SimulatedApple"

/// One trait that stands for several: SwiftPM 6.3 passes the traits to the compiler in a random order, so that each
/// build with more than one trait would compile everything again.
let all = "All"

let traits: Set<Trait> = [
    .trait(name: sqlite, description: "Compiles ApusSQLite, which needs GRDB and SQLite (Debian: libsqlite3-dev)."),
    .trait(name: postgres, description: "Compiles ApusPostgres, which needs libpq (Debian: libpq-dev)."),
    .trait(name: tracing, description: "Compiles ApusTracing, which needs swift-distributed-tracing."),
    .trait(name: serviceLifecycle, description: "Compiles ApusServiceLifecycle, which needs swift-service-lifecycle."),
    .trait(name: simulatedApple, description: "Compiles SimulatedApple, which needs OpenCombine; only on Linux."),
    .trait(name: all, description: "Compiles everything. To use several of the others, name this one."),
]

// MARK: Settings

/// Each line with a number names the proposal that explains it.
let features: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),  // SE-0335
        .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
        .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    ] + [sqlite, postgres, tracing, serviceLifecycle, simulatedApple].map { .define($0, .when(traits: [all])) }

// What runs in virtual time runs in tests, which are built for debugging, and so do millions of schedules: with
// OPTIMIZE_APUS=1 in the environment these modules are optimized there too. They are five times as fast then, and take
// as much longer to compile. Assertions stay. SwiftPM before 6.3, and Xcode, refuse dependencies with such flags.
//
// `-O` is an option of the frontend here: with the driver's own, each file is compiled by a process of its own.
let optimized =
    Context.environment["OPTIMIZE_APUS"] == "1"
    ? features + [.unsafeFlags(["-Xfrontend", "-O", "-assert-config", "Debug"], .when(configuration: .debug))]
    : features

// The timers count the records that they examine under a lock, for tests. A release build does so with
// `-Xswiftc -DCOUNTS_VISITS`, without which it cannot compile those tests.
let counting: SwiftSetting = .define("COUNTS_VISITS", .when(configuration: .debug))

// Apple's frameworks come from Objective-C, so the compiler does not trust their word on where closures are called, and
// puts a check into closures that belong to an actor. It does the same for modules in Swift 5 mode.
let likeAppleFrameworks = features + [.swiftLanguageMode(.v5)]

// Apps are compiled as on a phone: there `import SwiftUI`, `import Combine`, `import os` and `import OSLog` are the modules
// of these names, and `import Foundation` is more than on Linux. They are not optimized, because the optimizer would
// replace a call of `Timer(timeInterval:repeats:block:)` by its body, which is not Apple's.
let likeApps: [SwiftSetting] = [
    .swiftLanguageMode(.v5), .define(simulatedApple, .when(traits: [all])),
    .unsafeFlags(
        [
            "Combine=SimulatedCombine", "OSLog=SimulatedOSLog", "Security=SimulatedSecurity",
            "SwiftUI=SimulatedSwiftUI", "os=SimulatedOS",
        ].flatMap { ["-module-alias", $0] }
            + ["SimulatedFoundation", "SimulatedOSLog"].flatMap { ["-Xfrontend", "-import-module", "-Xfrontend", $0] }
            + ["-Onone"]),
]

// MARK: Other packages

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let metricsTestKit: Target.Dependency = .product(name: "MetricsTestKit", package: "swift-metrics")

func product(_ name: String, of package: String, with trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait, all]))
}

let grdb = product("GRDB", of: "GRDB.swift", with: sqlite)
let grdbSQLite = product("GRDBSQLite", of: "GRDB.swift", with: sqlite)
let tracingAPI = product("Tracing", of: "swift-distributed-tracing", with: tracing)
let inMemoryTracing = product("InMemoryTracing", of: "swift-distributed-tracing", with: tracing)
let services = product("ServiceLifecycle", of: "swift-service-lifecycle", with: serviceLifecycle)
let libpq: Target.Dependency = .target(name: "CPostgres", condition: .when(traits: [postgres, all]))

// MARK: The libraries

var products: [Product] = [
    .library(name: "Apus", targets: ["Apus"]),
    .library(name: "ApusTimers", targets: ["ApusTimers"]),
    .library(name: "ApusBackground", targets: ["ApusBackground"]),
    .library(name: "ApusJobs", targets: ["ApusJobs"]),
    .library(name: "ApusCalendar", targets: ["ApusCalendar"]),
    .library(name: "ApusSQLite", targets: ["ApusSQLite"]),
    .library(name: "ApusPostgres", targets: ["ApusPostgres"]),
    .library(name: "ApusLinux", targets: ["ApusLinux"]),
    .library(name: "ApusApple", targets: ["ApusApple"]),
    .library(name: "ApusFoundation", targets: ["ApusFoundation"]),
    .library(name: "ApusServiceLifecycle", targets: ["ApusServiceLifecycle"]),
    .library(name: "ApusTracing", targets: ["ApusTracing"]),
    .library(name: "ApusTesting", targets: ["ApusTesting"]),
    // The parts of ApusTesting.
    .library(name: "ApusVirtualTime", targets: ["ApusVirtualTime"]),
    .library(name: "ApusDevice", targets: ["ApusDevice"]),
    .library(name: "ApusJobsTesting", targets: ["ApusJobsTesting"]),
    // Apart from ApusTesting, which tools link that have no test library.
    .library(name: "ApusTestTraits", targets: ["ApusTestTraits"]),
    // For Command/ only.
    .library(name: "_ApusInternals", targets: ["CApus", "PathTrust", "PlatformC"]),
    .library(
        name: "_ApusTestSupport",
        targets: ["ApusTestSupport", "ClusterSimulation", "PostgresTestServer", "SchedulerSimulation"]),
]

var dependencies: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.9.0"),
]

// The privacy manifest that Apple asks of libraries (documentation/bundleresources/privacy-manifest-files): what this
// package reads of a device, and why. Elsewhere it is only a file.
#if os(macOS)
    let (privacyResources, privacyExclusions): ([Resource], [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
    let (privacyResources, privacyExclusions): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

// ApusApple is written for Apple's frameworks; on Linux the simulated ones take their place.
#if os(Linux)
    let appleFrameworks: [Target.Dependency] = [
        "AlarmKit", "ApusDevice", "ApusVirtualTime", "AVFoundation", "BackgroundTasks", "CoreLocation", "MediaPlayer",
        "QuartzCore", "SimulatedAppleCore", "UIKit", "UserNotifications",
    ]
    let tutorialApps: [Target.Dependency] = ["SimulatedAppleCore", "Tutorials", "UIKit", "_Testing_UIKit"]
#else
    let appleFrameworks: [Target.Dependency] = []
    let tutorialApps: [Target.Dependency] = []
#endif

var targets: [Target] = [
    // The C library of the platform under one name, and what the C libraries do not agree on.
    .target(name: "PlatformC", swiftSettings: features),
    // Timers.
    .target(name: "TimerWheel", swiftSettings: optimized + [counting]),
    .target(name: "CApus"),
    .target(
        name: "ApusTimers", dependencies: ["CApus", "PlatformC", "TimerWheel", metrics],
        swiftSettings: optimized + [counting]),
    // Background execution.
    .target(name: "ApusBackground", dependencies: ["ApusTimers", logging], swiftSettings: optimized),
    .target(
        name: "ApusLinux", dependencies: ["ApusBackground", "ApusTimers", "CApus", "PlatformC", logging],
        swiftSettings: features),
    .target(
        name: "ApusFoundation", dependencies: ["ApusBackground", "ApusTimers", "PlatformC"],
        exclude: privacyExclusions, resources: privacyResources, swiftSettings: features),
    .target(
        name: "ApusApple", dependencies: ["ApusBackground", "ApusTimers", logging] + appleFrameworks,
        swiftSettings: features),
    // Calendar schedules and time zones, without Foundation.
    .target(name: "ApusCalendar", dependencies: ["PlatformC"], swiftSettings: optimized),
    // Durable jobs.
    .target(
        name: "ApusJobs", dependencies: ["ApusBackground", "ApusCalendar", "ApusTimers", logging, metrics],
        swiftSettings: optimized),
    .target(name: "Apus", dependencies: ["ApusBackground", "ApusJobs", "ApusTimers"], swiftSettings: features),
    // Checks of the files and folders that a store, a daemon and its callers trust.
    .target(name: "PathTrust", dependencies: ["PlatformC"], swiftSettings: features),
    .target(
        name: "ApusSQLite",
        dependencies: ["ApusJobs", "ApusTimers", "CApus", "PathTrust", "PlatformC", grdb, grdbSQLite, logging],
        swiftSettings: features),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
        name: "ApusPostgres", dependencies: ["ApusJobs", "ApusTimers", "PlatformC", libpq, logging],
        swiftSettings: features),
    .target(
        name: "ApusServiceLifecycle", dependencies: ["ApusJobs", "ApusLinux", services], swiftSettings: features),
    .target(name: "ApusTracing", dependencies: ["ApusJobs", tracingAPI], swiftSettings: features),
    // The simulated device in virtual time. CProcessClock has libc's clocks and waiting calls, which a program with
    // ApusVirtualTime takes from there.
    .target(name: "CProcessClock"),
    .target(
        name: "ApusVirtualTime", dependencies: ["ApusBackground", "ApusTimers", "CProcessClock"],
        swiftSettings: optimized),
    .target(
        name: "ApusDevice", dependencies: ["ApusBackground", "ApusTimers", "ApusVirtualTime", logging],
        swiftSettings: optimized),
    .target(
        name: "ApusJobsTesting", dependencies: ["ApusCalendar", "ApusJobs", "ApusTimers", "ApusVirtualTime"],
        swiftSettings: optimized),
    .target(
        name: "ApusTesting", dependencies: ["ApusDevice", "ApusJobsTesting", "ApusVirtualTime"], swiftSettings: features
    ),
    .target(
        name: "ApusTestTraits",
        dependencies: ["ApusDevice", "ApusTimers", "ApusVirtualTime", "CApus", "CProcessClock"],
        swiftSettings: features),
]

// MARK: Their tests

targets += [
    .testTarget(name: "TimerWheelTests", dependencies: ["TimerWheel"], swiftSettings: features),
    .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
    .testTarget(
        name: "ApusTimersTests",
        dependencies: [
            "ApusTestSupport", "ApusTimers", "ApusVirtualTime", "CAllocationCount", "TimerWheel", metrics,
            metricsTestKit,
        ],
        swiftSettings: features),
    // Runs for as many seconds as its argument says: `make stress`.
    .executableTarget(
        name: "ApusTimerStress", dependencies: ["ApusTimers"], path: "Tests/ApusTimerStress", swiftSettings: features),
    // What the tests of several modules share: a host, logs, and how they wait.
    .target(
        name: "ApusTestSupport", dependencies: ["ApusBackground", "ApusTimers", "ApusVirtualTime", logging],
        path: "Tests/ApusTestSupport", swiftSettings: optimized),
    .testTarget(
        name: "ApusBackgroundTests",
        dependencies: ["ApusBackground", "ApusTestSupport", "ApusTimers", "ApusVirtualTime", logging],
        swiftSettings: features),
    .testTarget(
        name: "ApusFoundationTests", dependencies: ["ApusBackground", "ApusFoundation", "ApusTimers"],
        swiftSettings: features),
    // A process under a LinuxHost, for the tests to send signals to.
    .executableTarget(
        name: "ApusHostProbe", dependencies: ["ApusBackground", "ApusLinux", "ApusTimers", "PlatformC"],
        path: "Tests/ApusHostProbe", swiftSettings: features),
    .testTarget(
        name: "ApusLinuxTests",
        dependencies: [
            "ApusBackground", "ApusHostProbe", "ApusJobs", "ApusJobsTesting", "ApusLinux", "ApusServiceLifecycle",
            "ApusTestSupport", "ApusTimers", "ApusVirtualTime", "PlatformC", logging, services,
        ],
        swiftSettings: features),
    .testTarget(name: "ApusCalendarTests", dependencies: ["ApusCalendar"], swiftSettings: features),
    // Compares random schedules with other programs: `make calendar`.
    .executableTarget(
        name: "ApusCalendarOracles", dependencies: ["ApusCalendar"], path: "Tests/ApusCalendarOracles",
        exclude: ["Oracle.java", "oracle.py", "requirements.txt"], swiftSettings: features),
    .testTarget(
        name: "ApusJobsTests",
        dependencies: [
            "ApusBackground", "ApusCalendar", "ApusJobs", "ApusJobsTesting", "ApusTestSupport", "ApusTimers",
            "ApusTracing", "ApusVirtualTime", logging, metrics, metricsTestKit, inMemoryTracing,
            tracingAPI,
        ],
        swiftSettings: features),
    // The whole scheduler in virtual time, from one seed; and several schedulers over a modelled database.
    .target(
        name: "SchedulerSimulation",
        dependencies: [
            "ApusBackground", "ApusJobs", "ApusJobsTesting", "ApusTestSupport", "ApusTimers", "ApusVirtualTime",
            logging,
        ],
        path: "Tests/SchedulerSimulation", swiftSettings: optimized),
    .target(
        name: "ClusterSimulation", dependencies: ["ApusJobs", "ApusPostgres", "ApusTimers"],
        path: "Tests/ClusterSimulation", swiftSettings: optimized),
    .testTarget(
        name: "SchedulerSimulationTests",
        dependencies: ["ApusJobs", "ApusTimers", "ApusVirtualTime", "SchedulerSimulation"], swiftSettings: features),
    .testTarget(
        name: "ClusterSimulationTests", dependencies: ["ClusterSimulation"], swiftSettings: features),
    // Commits jobs until it is killed: the tests' victim.
    .executableTarget(
        name: "ApusStoreProbe", dependencies: ["ApusJobs", "ApusSQLite", "ApusTimers", "PlatformC"],
        path: "Tests/ApusStoreProbe", swiftSettings: features),
    .testTarget(
        name: "ApusSQLiteTests",
        dependencies: [
            "ApusCalendar", "ApusJobs", "ApusJobsTesting", "ApusSQLite", "ApusStoreProbe", "ApusTestSupport",
            "ApusTimers", "ApusVirtualTime", "PathTrust", grdb, grdbSQLite,
        ],
        resources: [.copy("Fixtures")], swiftSettings: features),
    // One PostgreSQL for all tests of a run.
    .target(name: "PostgresTestServer", path: "Tests/PostgresTestServer", swiftSettings: features),
    .testTarget(
        name: "ApusPostgresTests",
        dependencies: [
            "ApusJobs", "ApusJobsTesting", "ApusPostgres", "ApusSQLite", "ApusTestSupport", "ApusTimers",
            "ApusVirtualTime", "ClusterSimulation", "PostgresTestServer", grdb, libpq, logging,
        ],
        swiftSettings: features),
    // An app that lives a month on a simulated device: for the tests, and for the process that they compare with.
    .target(
        name: "ApusSampleApp", dependencies: ["ApusBackground", "ApusDevice", "ApusTimers", "ApusVirtualTime"],
        path: "Tests/ApusSampleApp", swiftSettings: features),
    .executableTarget(
        name: "ApusDeviceProbe", dependencies: ["ApusSampleApp", "ApusTimers", "PlatformC"],
        path: "Tests/ApusDeviceProbe", swiftSettings: features),
    .testTarget(
        name: "ApusDeviceTests",
        dependencies: [
            "ApusBackground", "ApusDevice", "ApusDeviceProbe", "ApusSampleApp", "ApusTestSupport", "ApusTimers",
            "ApusVirtualTime",
        ],
        swiftSettings: features),
    // Every way of libc to wait.
    .target(name: "CWaitingCalls", path: "Tests/CWaitingCalls"),
    .testTarget(
        name: "ProcessClockTests",
        dependencies: [
            "ApusBackground", "ApusDevice", "ApusTestTraits", "ApusTimers", "ApusVirtualTime", "CWaitingCalls",
            "PlatformC",
        ] + tutorialApps,
        swiftSettings: features),
    .testTarget(
        name: "TestTraitsTests",
        dependencies: ["ApusDevice", "ApusTestTraits", "ApusTimers", "ApusVirtualTime", "CApus", "CProcessClock"],
        swiftSettings: features),
    // Reads the sources and the manifests; depends on none of them.
    .testTarget(name: "ProjectTests", swiftSettings: features),
]

// MARK: Apple's names

// With these an app's background code compiles on Linux. On Apple's systems the real frameworks are imported.
#if os(Linux)
    products.append(.library(name: "SimulatedApple", targets: ["SimulatedApple"]))
    dependencies.append(.package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"))

    func simulated(_ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting]? = nil) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Sources/SimulatedApple/\(name)",
            swiftSettings: settings ?? likeAppleFrameworks)
    }

    let openCombine = ["OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation"]

    targets += [
        // Only with the trait, because a module UIKit makes `canImport(UIKit)` true in every package of a build.
        simulated(
            "SimulatedApple",
            [
                "ActivityKit", "AlarmKit", "AppIntents", "ApusDevice", "ApusVirtualTime", "AudioToolbox",
                "AVFoundation",
                "BackgroundTasks", "CoreLocation", "MediaPlayer", "QuartzCore", "SimulatedAppleCore",
                "SimulatedCombine", "SimulatedFoundation", "SimulatedOS", "SimulatedOSLog", "SimulatedSecurity",
                "SimulatedSwiftUI", "SimulatedURLSession", "UIKit", "UserNotifications", "_Testing_UIKit",
            ].map { .target(name: $0, condition: .when(traits: [simulatedApple, all])) },
            settings: features),
        simulated(
            "SimulatedAppleCore",
            ["ApusBackground", "ApusDevice", "ApusTimers", "ApusVirtualTime", "CProcessClock", "PlatformC"],
            settings: optimized),
        // Foundation's background sessions. Not named `FoundationNetworking`, which is there too.
        simulated(
            "SimulatedURLSession", ["ApusBackground", "ApusDevice", "ApusTimers", "PlatformC", "SimulatedAppleCore"]),
        simulated(
            "UIKit",
            [
                "ApusBackground", "ApusDevice", "ApusTimers", "ApusVirtualTime", "QuartzCore", "SimulatedAppleCore",
                "SimulatedURLSession", "UserNotifications",
            ]),
        simulated("AppIntents", ["ApusBackground", "ApusDevice", "ApusTimers", "SimulatedAppleCore"]),
        simulated("ActivityKit", ["ApusBackground", "ApusDevice", "ApusTimers", "SimulatedAppleCore"]),
        simulated(
            "AlarmKit",
            [
                "ActivityKit", "AppIntents", "ApusBackground", "ApusDevice", "ApusTimers", "SimulatedAppleCore",
                "SimulatedSwiftUICore",
            ]),
        simulated("BackgroundTasks", ["ApusBackground", "ApusTimers", "ApusVirtualTime", "SimulatedAppleCore"]),
        simulated(
            "UserNotifications",
            ["ApusBackground", "ApusDevice", "ApusTimers", "ApusVirtualTime", "SimulatedAppleCore"]),
        simulated("QuartzCore", ["ApusBackground", "ApusTimers", "ApusVirtualTime", "SimulatedAppleCore"]),
        simulated("CoreLocation", ["ApusBackground", "ApusDevice", "ApusTimers", "SimulatedAppleCore"]),
        simulated("AudioToolbox", ["ApusBackground", "ApusTimers", "ApusVirtualTime", "SimulatedAppleCore"]),
        simulated(
            "AVFoundation",
            [
                "ApusBackground", "ApusDevice", "ApusTimers", "ApusVirtualTime", "AudioToolbox", "SimulatedAppleCore",
            ]),
        simulated("MediaPlayer", ["ApusBackground", "ApusDevice", "ApusTimers", "SimulatedAppleCore"]),
        // Not named `Combine` and `SwiftUI`, for which other packages test. Empty without the trait.
        simulated(
            "SimulatedCombine",
            openCombine.map { product($0, of: "OpenCombine", with: simulatedApple) }),
        simulated(
            "SimulatedSwiftUI",
            [
                "ApusBackground", "ApusDevice", "ApusTimers", "ApusVirtualTime", "BackgroundTasks",
                "SimulatedAppleCore", "SimulatedCombine", "SimulatedSwiftUICore", "UIKit",
            ]),
        // What AlarmKit needs of SwiftUI, without a trait.
        simulated("SimulatedSwiftUICore", []),
        // Not named `os` and `OSLog`, for which other packages test.
        .target(name: "SimulatedOS", path: "Sources/SimulatedApple/SimulatedOS"),
        simulated("SimulatedOSLog", ["ApusTimers", "SimulatedAppleCore"]),
        // Not named `Security`, for which other packages test.
        simulated("SimulatedSecurity", ["ApusDevice", "SimulatedAppleCore"]),
        // What Apple's Foundation exports.
        simulated(
            "SimulatedFoundation",
            ["SimulatedAppleCore", "SimulatedCombine", "SimulatedSecurity", "SimulatedURLSession"]),
        // What Swift Testing expects beside a module UIKit.
        simulated("_Testing_UIKit", [], settings: features),
        // Their tests. The background code of ordinary apps, in both language modes.
        .target(
            name: "SampleAppsSwift5", dependencies: ["BackgroundTasks", "UIKit", "UserNotifications"],
            path: "Tests/SampleApps/Swift5", swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "SampleAppsSwift6", dependencies: ["BackgroundTasks", "UIKit", "UserNotifications"],
            path: "Tests/SampleApps/Swift6", swiftSettings: [.swiftLanguageMode(.v6)]),
        // The left side of docs/migration.md.
        .target(
            name: "MigrationExamples", dependencies: ["BackgroundTasks", "UIKit"], path: "Tests/MigrationExamples",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // Timers and apps as people copy them from tutorials.
        .target(
            name: "Tutorials",
            dependencies: [
                "AVFoundation", "BackgroundTasks", "CoreLocation", "QuartzCore", "UIKit", "UserNotifications",
            ],
            path: "Tests/Tutorials", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "SwiftUITutorials",
            dependencies: [
                "BackgroundTasks", "SimulatedCombine", "SimulatedFoundation", "SimulatedOS", "SimulatedOSLog",
                "SimulatedSwiftUI", "UIKit",
            ],
            path: "Tests/SwiftUITutorials", swiftSettings: likeApps),
        .testTarget(
            name: "ApusAppleTests",
            dependencies: [
                "AlarmKit", "ApusApple", "ApusBackground", "ApusDevice", "ApusTestSupport", "ApusTestTraits",
                "ApusTimers", "ApusVirtualTime", "AVFoundation", "BackgroundTasks", "CoreLocation", "MediaPlayer",
                "QuartzCore", "SimulatedAppleCore", "UIKit", "UserNotifications", "_Testing_UIKit", logging,
            ],
            swiftSettings: features),
        .testTarget(
            name: "SimulatedAppleTests",
            dependencies: [
                "ActivityKit", "AlarmKit", "AppIntents", "ApusBackground", "ApusDevice", "ApusTestTraits", "ApusTimers",
                "ApusVirtualTime", "AudioToolbox", "AVFoundation", "BackgroundTasks", "CoreLocation", "MediaPlayer",
                "PlatformC", "QuartzCore", "SampleAppsSwift5", "SampleAppsSwift6", "SimulatedAppleCore",
                "SimulatedOSLog", "SimulatedSecurity", "Tutorials", "UIKit", "UserNotifications", "_Testing_UIKit",
                grdb, grdbSQLite,
            ],
            swiftSettings: features),
        .testTarget(
            name: "SimulatedSwiftUITests",
            dependencies: [
                "ApusBackground", "ApusDevice", "ApusTestTraits", "ApusTimers", "CoreLocation", "SimulatedAppleCore",
                "SimulatedCombine", "SimulatedSwiftUI", "SwiftUITutorials", "UIKit", "_Testing_UIKit",
            ],
            swiftSettings: features),
    ]
#endif

// MARK: The package

let package = Package(
    name: "apus",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: products,
    traits: traits,
    dependencies: dependencies,
    targets: targets,
    swiftLanguageModes: [.v6]
)

// With APUS_ONLY, names of targets with spaces between: only these, what they need, and the packages that those need.
// SwiftPM compiles all targets before it runs a test; `make test-jobs` and its siblings do without the others, and so
// does `make tsan`, for which everything is compiled once more.
if let names = Context.environment["APUS_ONLY"] {
    var kept: Set<String> = []
    var packages: Set<String> = []
    var open = names.split(separator: " ").map(String.init)
    while let name = open.popLast() {
        guard kept.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("there is no target \(name)")
        }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let other, _), .byNameItem(let other, _): open.append(other)
            case .productItem(_, let other, _, _): packages.insert(other?.lowercased() ?? "")
            default: break
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { ($0 as? Product.Library).map { !kept.isSuperset(of: $0.targets) } ?? false }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !packages.contains { location.lowercased().hasSuffix("/\($0).git") }
    }
}
