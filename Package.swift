// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled with these; each line names the proposal that explains it.
let upcomingFeatures: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
]

let package = Package(
    name: "apus",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Apus", targets: ["Apus"]),
        .library(name: "ApusTimers", targets: ["ApusTimers"]),
        .library(name: "ApusBackground", targets: ["ApusBackground"]),
        .library(name: "ApusJobs", targets: ["ApusJobs"]),
        .library(name: "ApusCalendar", targets: ["ApusCalendar"]),
        .library(name: "ApusSQLite", targets: ["ApusSQLite"]),
        // Empty without the trait Postgres.
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
        .library(name: "ApusClient", targets: ["ApusClient"]),
        .library(name: "ApusDaemon", targets: ["ApusDaemon"]),
        .executable(name: "apus", targets: ["ApusProgram"]),
        .executable(name: "apusd", targets: ["ApusDaemonProgram"]),
    ],
    traits: [
        .trait(name: "Postgres", description: "Compiles ApusPostgres, which needs libpq (Debian: libpq-dev).")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.0.4"),
        // Without its parser of JSON files, which needs the whole of Foundation and takes a number for a truth value.
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.0.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.95.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.30.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.17.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.28.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.9.0"),
        // For the tests only.
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.0.0"),
    ],
    targets: [
        .target(name: "TimerWheel"),
        .target(name: "CApus"),
        .target(
            name: "ApusTimers",
            dependencies: ["TimerWheel", "CApus", .product(name: "CoreMetrics", package: "swift-metrics")]
        ),
        // Calendar schedules and time zones, without Foundation.
        .target(name: "ApusCalendar"),
        .target(
            name: "ApusBackground",
            dependencies: ["ApusTimers", .product(name: "Logging", package: "swift-log")]
        ),
        .target(
            name: "ApusJobs",
            dependencies: [
                "ApusBackground", "ApusCalendar", "ApusTimers",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // Checks of the files and folders that a daemon and its callers trust.
        .target(name: "PathTrust"),
        .target(
            name: "ApusSQLite",
            dependencies: [
                "ApusJobs", "ApusTimers", "CApus", "PathTrust",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        // Not swift-crypto, whose C takes as long to compile as a fifth of the command, for one HMAC.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        // Its files are empty without the trait, so that libpq is needed only where PostgreSQL is used.
        .target(
            name: "ApusPostgres",
            dependencies: [
                "ApusJobs", "ApusTimers", "CApus", .target(name: "CPostgres", condition: .when(traits: ["Postgres"])),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "ApusLinux",
            dependencies: ["ApusBackground", "ApusTimers", "CApus", .product(name: "Logging", package: "swift-log")]
        ),
        .target(name: "ApusFoundation", dependencies: ["ApusBackground", "ApusTimers"]),
        // On Linux it also depends on the modules with the names of Apple's frameworks; see below.
        .target(
            name: "ApusApple",
            dependencies: [
                "ApusBackground", "ApusTimers", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // Apart from ApusLinux, so that only who uses ServiceLifecycle builds it.
        .target(
            name: "ApusServiceLifecycle",
            dependencies: [
                "ApusJobs", "ApusLinux", .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        // Apart from ApusJobs, so that only who traces builds swift-distributed-tracing.
        .target(
            name: "ApusTracing",
            dependencies: ["ApusJobs", .product(name: "Tracing", package: "swift-distributed-tracing")]
        ),
        // libc's clocks and waiting calls, which a program with ApusVirtualTime takes from here.
        .target(name: "CProcessClock"),
        .target(name: "ApusVirtualTime", dependencies: ["ApusBackground", "ApusTimers", "CProcessClock"]),
        .target(
            name: "ApusDevice",
            dependencies: [
                "ApusBackground", "ApusTimers", "ApusVirtualTime", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(name: "ApusJobsTesting", dependencies: ["ApusCalendar", "ApusJobs", "ApusTimers"]),
        .target(name: "ApusTesting", dependencies: ["ApusDevice", "ApusJobsTesting", "ApusVirtualTime"]),
        .target(
            name: "ApusTestTraits",
            dependencies: ["ApusDevice", "ApusVirtualTime", "ApusTimers", "CApus", "CProcessClock"]),
        // Puts the files of a target's folder `Web` into the program, which is installed as one file. (With the
        // resource rule `.embedInCode`, 150 KB take half a minute to compile: it writes an array of numbers.)
        .executableTarget(name: "WebEmbedder"),
        .plugin(name: "EmbedWeb", capability: .buildTool(), dependencies: ["WebEmbedder"]),
        .target(name: "ApusJSON"),
        .target(name: "PlatformC"),
        // What listeners with a page share. No product: it is not for other packages.
        .target(
            name: "LoopbackWeb",
            dependencies: [
                "ApusJSON", "ApusTimers",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        // Without NIO and the stores: the runtime searches all types of a program again and again, so the command's time
        // grows with what it links.
        .target(
            name: "ApusClient",
            dependencies: [
                "ApusBackground", "ApusCalendar", "ApusJSON", "ApusJobs", "ApusTimers", "CApus", "PathTrust",
            ]
        ),
        .target(
            name: "ApusDaemon",
            dependencies: [
                "ApusClient", "ApusJSON", "PathTrust", "ApusBackground", "ApusCalendar", "ApusJobs", "ApusLinux",
                "ApusSQLite", "ApusTimers",
                "CApus", "LoopbackWeb",
                .target(name: "ApusPostgres", condition: .when(traits: ["Postgres"])),
                .target(name: "COpenSSL", condition: .when(platforms: [.linux])),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            exclude: ["Dashboard/Web"],
            plugins: ["EmbedWeb"]
        ),
        .target(name: "Apus", dependencies: ["ApusBackground", "ApusJobs", "ApusTimers"]),
        // The subcommands that only talk to a daemon.
        .target(
            name: "ApusCommand",
            dependencies: [
                "ApusCalendar", "ApusClient", "ApusJSON", "ApusJobs", "ApusTimers", "PlatformC",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        // Not named `apus`: on a case-insensitive file system that is the umbrella module again.
        .executableTarget(
            name: "ApusProgram",
            dependencies: [
                "ApusClient", "ApusCommand", "PlatformC",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "ApusDaemonProgram",
            dependencies: [
                "ApusCalendar", "ApusClient", "ApusCommand", "ApusDaemon", "ApusJobs", "ApusSQLite", "ApusTimers",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .testTarget(name: "ApusCalendarTests", dependencies: ["ApusCalendar"]),
        // Compares random schedules with other programs: `make calendar`.
        .executableTarget(
            name: "ApusCalendarOracles", dependencies: ["ApusCalendar"], path: "Tests/ApusCalendarOracles",
            exclude: ["Oracle.java", "oracle.py", "requirements.txt"]
        ),
        .testTarget(name: "TimerWheelTests", dependencies: ["TimerWheel"]),
        .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
        .testTarget(
            name: "ApusTimersTests",
            dependencies: [
                "ApusVirtualTime", "ApusTimers", "CAllocationCount", "TimerWheel",
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]
        ),
        // Runs for as many seconds as its argument says: `make stress`.
        .executableTarget(name: "ApusTimerStress", dependencies: ["ApusTimers"], path: "Tests/ApusTimerStress"),
        // Fakes that the tests of several modules share.
        .target(
            name: "ApusTestSupport",
            dependencies: [
                "ApusBackground", "ApusTimers", "ApusVirtualTime", .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/ApusTestSupport"
        ),
        .testTarget(
            name: "ApusBackgroundTests",
            dependencies: [
                "ApusBackground", "ApusTestSupport", "ApusVirtualTime", "ApusTimers",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(name: "ApusFoundationTests", dependencies: ["ApusBackground", "ApusFoundation", "ApusTimers"]),
        // An app that lives a month on a simulated device: for the tests, and for the process that they compare with.
        .target(
            name: "ApusSampleApp", dependencies: ["ApusBackground", "ApusDevice", "ApusTimers", "ApusVirtualTime"],
            path: "Tests/ApusSampleApp"
        ),
        .executableTarget(
            name: "ApusDeviceProbe", dependencies: ["ApusSampleApp", "ApusTimers"], path: "Tests/ApusDeviceProbe"
        ),
        .testTarget(
            name: "ApusDeviceTests",
            dependencies: [
                "ApusBackground", "ApusDeviceProbe", "ApusSampleApp", "ApusDevice", "ApusVirtualTime", "ApusTimers",
            ]
        ),
        // Every way of libc to wait.
        .target(name: "CWaitingCalls", path: "Tests/CWaitingCalls"),
        .testTarget(
            name: "ProcessClockTests",
            dependencies: [
                "ApusTestTraits", "ApusDevice", "ApusVirtualTime", "ApusTimers", "CWaitingCalls",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "TestTraitsTests",
            dependencies: ["ApusTestTraits", "ApusDevice", "ApusVirtualTime", "ApusTimers", "CApus", "CProcessClock"]
        ),
        // The whole scheduler in virtual time, from one seed: for a test, and for `make simulate`.
        .target(
            name: "SchedulerSimulation",
            dependencies: [
                "ApusBackground", "ApusJobs", "ApusJobsTesting", "ApusVirtualTime", "ApusTimers",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/SchedulerSimulation"
        ),
        // Several schedulers over a modelled database, for a test, and for `make simulate SIMULATE=--cluster`.
        .target(
            name: "ClusterSimulation", dependencies: ["ApusJobs", "ApusPostgres", "ApusTimers"],
            path: "Tests/ClusterSimulation"
        ),
        .executableTarget(
            name: "ApusSimulation",
            dependencies: [
                "ApusTimers", "ClusterSimulation", "SchedulerSimulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/ApusSimulation"
        ),
        .testTarget(
            name: "ApusJobsTests",
            dependencies: [
                "ApusBackground", "ApusCalendar", "ApusJobs", "ApusTestSupport", "ApusJobsTesting", "ApusVirtualTime",
                "ApusTimers", "ApusTracing",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .testTarget(
            name: "SchedulerSimulationTests",
            dependencies: ["ApusJobs", "ApusVirtualTime", "ApusTimers", "SchedulerSimulation"]
        ),
        .testTarget(name: "ClusterSimulationTests", dependencies: ["ClusterSimulation"]),
        // A process under a LinuxHost, for the tests to send signals to.
        .executableTarget(
            name: "ApusHostProbe", dependencies: ["ApusBackground", "ApusLinux", "ApusTimers"],
            path: "Tests/ApusHostProbe"
        ),
        .testTarget(
            name: "ApusLinuxTests",
            dependencies: [
                "ApusBackground", "ApusHostProbe", "ApusJobs", "ApusLinux", "ApusServiceLifecycle", "ApusJobsTesting",
                "ApusVirtualTime",
                "ApusTimers",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        // Commits jobs until it is killed: the tests' victim.
        .executableTarget(
            name: "ApusStoreProbe", dependencies: ["ApusJobs", "ApusSQLite", "ApusTimers"], path: "Tests/ApusStoreProbe"
        ),
        .testTarget(
            name: "ApusSQLiteTests",
            dependencies: [
                "ApusCalendar", "ApusJobs", "ApusJobsTesting", "ApusSQLite", "ApusStoreProbe", "ApusTimers",
                "ApusVirtualTime", "PathTrust",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            resources: [.copy("Fixtures")]
        ),
        // One PostgreSQL for all tests of a run.
        .target(name: "PostgresTestServer", path: "Tests/PostgresTestServer"),
        // Kills nodes, connections and servers under load, and checks the promises of a cluster: `make chaos`.
        .executableTarget(
            name: "ApusChaos",
            dependencies: [
                "ApusClient", "ApusDaemon", "ApusJobs", "ApusPostgres", "ApusTimers", "PostgresTestServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/ApusChaos"
        ),
        // The command of their jobs.
        .executableTarget(name: "ChaosEffect", path: "Tests/ChaosEffect"),
        // With a PostgreSQL of their own. Without the trait, which make passes, there is none of them.
        .testTarget(
            name: "ApusPostgresTests",
            dependencies: [
                "ApusJobs", "ApusPostgres", "ApusSQLite", "ApusJobsTesting", "ApusVirtualTime", "ApusTimers",
                "ClusterSimulation",
                "PostgresTestServer",
                .target(name: "CPostgres", condition: .when(traits: ["Postgres"])),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "LoopbackWebTests",
            dependencies: [
                "ApusJSON", "ApusVirtualTime", "ApusTimers", "LoopbackWeb",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "ApusDaemonTests",
            dependencies: [
                "ApusCalendar", "ApusClient", "ApusDaemon", "ApusJSON", "ApusJobs", "ApusJobsTesting", "ApusTimers",
                "LoopbackWeb",
                "PathTrust",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        // Kills the real daemon as many times as its argument says, and checks the promises: `make torture`.
        .executableTarget(
            name: "ApusTorture",
            dependencies: [
                "ApusClient", "ApusDaemon", "ApusJobs", "ApusTimers",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Tests/ApusTorture"
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ApusCalendar", "ApusClient", "ApusCommand", "ApusDaemon", "ApusDaemonProgram", "ApusJSON", "ApusJobs",
                "ApusProgram",
                "ApusSQLite", "ApusVirtualTime", "ApusTimers", "PathTrust", "PostgresTestServer",
                .target(name: "ApusPostgres", condition: .when(traits: ["Postgres"])),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Tests/EndToEnd"
        ),
        // The sample app and its server, which use what any other package could: `make demo`.
        .target(
            name: "SleeplessApp", dependencies: ["ApusBackground", "ApusTimers"],
            path: "Examples/Sleepless/App", packageAccess: false
        ),
        .executableTarget(
            name: "Sleepless",
            dependencies: [
                "ApusBackground", "ApusFoundation", "ApusJobs", "ApusLinux", "ApusTesting", "ApusTimers",
                "LoopbackWeb", "SleeplessApp",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Examples/Sleepless", exclude: ["App", "Tests", "compare-speeds"], sources: ["Server"],
            resources: [.copy("Web")],
            packageAccess: false
        ),
        // Two nodes of one PostgreSQL database; nothing without the trait.
        .executableTarget(
            name: "TwoNodes", dependencies: ["ApusJobs", "ApusPostgres", "ApusTimers"], path: "Examples/TwoNodes",
            packageAccess: false
        ),
        .testTarget(
            name: "SleeplessTests",
            dependencies: [
                "ApusBackground", "ApusTesting", "ApusTimers", "LoopbackWeb", "Sleepless", "SleeplessApp",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Examples/Sleepless/Tests", packageAccess: false
        ),
        // The program of a DocC tutorial, which the tests kill and start again.
        .executableTarget(
            name: "TutorialReminder", dependencies: ["ApusJobs", "ApusSQLite"], path: "Tests/TutorialReminder"
        ),
        // Compiles the documents' examples, and asks the built command about the documents' command lines.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Apus", "ApusApple", "ApusBackground", "ApusCalendar", "ApusDaemonProgram", "ApusFoundation",
                "ApusJobs",
                "ApusLinux", "ApusPostgres", "ApusServiceLifecycle", "ApusSQLite", "ApusTestTraits", "ApusTesting",
                "ApusTimers",
                "ApusTracing", "TutorialReminder", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        // Reads the sources and the manifest; depends on none of them.
        .testTarget(name: "ProjectTests"),
    ],
    swiftLanguageModes: [.v6]
)

// Apple's names, so that an app's background code compiles on Linux. On Apple's systems the real frameworks are imported.
#if os(Linux)
    // Apple's frameworks come from Objective-C, so the compiler does not trust their word on where closures are called,
    // and puts a check into those that belong to an actor. It does the same for modules in Swift 5 mode.
    let likeAppleFrameworks: [SwiftSetting] = [.swiftLanguageMode(.v5)]

    package.products.append(.library(name: "SimulatedApple", targets: ["SimulatedApple"]))
    package.traits.insert(
        .trait(
            name: "SimulatedApple",
            description: "Builds the modules with the names of Apple's frameworks, for the product SimulatedApple."))
    // Only with the trait, because a module UIKit makes `canImport(UIKit)` true in every package of a build.
    let simulatedModules = [
        "SimulatedAppleCore", "SimulatedURLSession", "UIKit", "BackgroundTasks", "UserNotifications", "QuartzCore",
        "CoreLocation",
        "AVFoundation", "AudioToolbox", "MediaPlayer", "SimulatedCombine", "SimulatedSwiftUI", "_Testing_UIKit",
    ]
    package.dependencies.append(.package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"))
    package.targets.append(
        .target(
            name: "SimulatedApple",
            dependencies: (["ApusDevice", "ApusVirtualTime"] + simulatedModules).map {
                .target(name: $0, condition: .when(traits: ["SimulatedApple"]))
            },
            path: "Sources/SimulatedApple/SimulatedApple"
        ))
    package.targets += [
        .target(
            name: "SimulatedAppleCore",
            dependencies: ["ApusBackground", "ApusDevice", "ApusVirtualTime", "ApusTimers", "CProcessClock"],
            path: "Sources/SimulatedApple/SimulatedAppleCore"
        ),
        // Foundation's background sessions. Not named `FoundationNetworking`, which is there too.
        .target(
            name: "SimulatedURLSession",
            dependencies: ["ApusBackground", "ApusDevice", "ApusTimers", "SimulatedAppleCore"],
            path: "Sources/SimulatedApple/SimulatedURLSession", swiftSettings: likeAppleFrameworks
        ),
        .target(
            name: "UIKit",
            dependencies: [
                "ApusBackground", "ApusDevice", "ApusVirtualTime", "ApusTimers", "QuartzCore", "SimulatedAppleCore",
                "SimulatedURLSession",
            ],
            path: "Sources/SimulatedApple/UIKit", swiftSettings: likeAppleFrameworks
        ),
        .target(
            name: "BackgroundTasks",
            dependencies: ["ApusBackground", "ApusVirtualTime", "ApusTimers", "SimulatedAppleCore"],
            path: "Sources/SimulatedApple/BackgroundTasks", swiftSettings: likeAppleFrameworks
        ),
        .target(
            name: "UserNotifications",
            dependencies: ["ApusBackground", "ApusDevice", "ApusVirtualTime", "ApusTimers", "SimulatedAppleCore"],
            path: "Sources/SimulatedApple/UserNotifications", swiftSettings: likeAppleFrameworks
        ),
        .target(
            name: "QuartzCore",
            dependencies: ["ApusBackground", "ApusVirtualTime", "ApusTimers", "SimulatedAppleCore"],
            path: "Sources/SimulatedApple/QuartzCore", swiftSettings: likeAppleFrameworks
        ),
        .target(
            name: "CoreLocation", dependencies: ["ApusBackground", "ApusDevice", "ApusTimers", "SimulatedAppleCore"],
            path: "Sources/SimulatedApple/CoreLocation", swiftSettings: likeAppleFrameworks
        ),
        .target(
            name: "AudioToolbox",
            dependencies: ["ApusBackground", "ApusVirtualTime", "ApusTimers", "SimulatedAppleCore"],
            path: "Sources/SimulatedApple/AudioToolbox", swiftSettings: likeAppleFrameworks
        ),
        .target(
            name: "AVFoundation",
            dependencies: [
                "ApusBackground", "ApusDevice", "ApusVirtualTime", "ApusTimers", "AudioToolbox", "SimulatedAppleCore",
            ],
            path: "Sources/SimulatedApple/AVFoundation", swiftSettings: likeAppleFrameworks
        ),
        .target(
            name: "MediaPlayer", dependencies: ["ApusBackground", "ApusDevice", "ApusTimers", "SimulatedAppleCore"],
            path: "Sources/SimulatedApple/MediaPlayer", swiftSettings: likeAppleFrameworks
        ),
        // Not named `Combine` and `SwiftUI`, for which other packages test; a target of app code is compiled with aliases.
        .target(
            name: "SimulatedCombine",
            dependencies: [
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
            ],
            path: "Sources/SimulatedApple/SimulatedCombine", swiftSettings: likeAppleFrameworks
        ),
        .target(
            name: "SimulatedSwiftUI",
            dependencies: [
                "ApusBackground", "ApusDevice", "ApusVirtualTime", "ApusTimers", "BackgroundTasks", "SimulatedCombine",
                "SimulatedAppleCore",
                "UIKit",
            ],
            path: "Sources/SimulatedApple/SimulatedSwiftUI", swiftSettings: likeAppleFrameworks
        ),
        // What Swift Testing expects beside a module UIKit.
        .target(name: "_Testing_UIKit", path: "Sources/SimulatedApple/_Testing_UIKit"),
        // The background code of ordinary apps, in both language modes.
        .target(
            name: "SampleAppsSwift5", dependencies: ["BackgroundTasks", "UIKit", "UserNotifications"],
            path: "Tests/SampleApps/Swift5", swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .target(
            name: "SampleAppsSwift6", dependencies: ["BackgroundTasks", "UIKit", "UserNotifications"],
            path: "Tests/SampleApps/Swift6", swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        // The left side of docs/migration.md.
        .target(
            name: "MigrationExamples", dependencies: ["BackgroundTasks", "UIKit"], path: "Tests/MigrationExamples",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "ApusAppleTests",
            dependencies: [
                "ApusApple", "ApusBackground", "ApusDevice", "ApusVirtualTime", "ApusTestTraits", "ApusTimers",
                "AVFoundation",
                "BackgroundTasks", "CoreLocation", "MediaPlayer", "QuartzCore", "SimulatedAppleCore", "UIKit",
                "UserNotifications", "_Testing_UIKit", .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "SimulatedAppleTests",
            dependencies: [
                "ApusBackground", "ApusDevice", "ApusVirtualTime", "ApusTestTraits", "ApusTimers", "AudioToolbox",
                "AVFoundation", "BackgroundTasks", "CoreLocation", "MediaPlayer", "QuartzCore", "SampleAppsSwift5",
                "SampleAppsSwift6", "SimulatedAppleCore", "Tutorials", "UIKit", "UserNotifications", "_Testing_UIKit",
            ]
        ),
    ]
    // Timers and apps as people copy them from tutorials.
    package.targets.append(
        .target(
            name: "Tutorials",
            dependencies: [
                "AVFoundation", "BackgroundTasks", "CoreLocation", "QuartzCore", "UIKit", "UserNotifications",
            ],
            path: "Tests/Tutorials", swiftSettings: [.swiftLanguageMode(.v5)]))
    // Apps with SwiftUI, compiled as on a phone: `import SwiftUI` and `import Combine` are the modules of these names there,
    // and in these targets only.
    let appModules: [SwiftSetting] = [
        .unsafeFlags(["-module-alias", "Combine=SimulatedCombine", "-module-alias", "SwiftUI=SimulatedSwiftUI"])
    ]
    package.targets += [
        .executableTarget(
            name: "SwiftUITutorials",
            dependencies: ["BackgroundTasks", "SimulatedCombine", "SimulatedSwiftUI", "UIKit"],
            path: "Tests/SwiftUITutorials", swiftSettings: [.swiftLanguageMode(.v5)] + appModules
        ),
        .testTarget(
            name: "SimulatedSwiftUITests",
            dependencies: [
                "ApusBackground", "ApusTestTraits", "ApusDevice", "ApusTimers", "SimulatedCombine",
                "SimulatedAppleCore",
                "SimulatedSwiftUI", "SwiftUITutorials", "UIKit", "_Testing_UIKit",
            ]
        ),
    ]
    for target in package.targets where target.name == "ProcessClockTests" {
        target.dependencies += ["ApusBackground", "SimulatedAppleCore", "Tutorials", "UIKit"]
    }
    for target in package.targets where target.name == "ApusApple" {
        target.dependencies += [
            "ApusDevice", "ApusVirtualTime", "AVFoundation", "BackgroundTasks", "CoreLocation", "MediaPlayer",
            "QuartzCore", "SimulatedAppleCore", "UIKit", "UserNotifications",
        ]
    }
    for target in package.targets where target.name == "DocumentationTests" {
        target.dependencies += ["BackgroundTasks", "SimulatedAppleCore", "UIKit"]
    }
#endif

#if os(Linux) && compiler(>=6.3)
    // What runs in virtual time runs in tests, which are built for debugging, and so do millions of schedules: these modules
    // are optimized there too, and are five times as fast. Assertions stay. (SwiftPM before 6.3, and Xcode, refuse dependencies with such flags.)
    let optimizedModules = [
        "TimerWheel", "ApusTimers", "ApusBackground", "ApusCalendar", "ApusJobs", "ApusVirtualTime", "ApusDevice",
        "ApusJobsTesting", "SimulatedAppleCore", "SchedulerSimulation", "ClusterSimulation",
    ]
    // An option of the frontend: with the driver's own `-O` each file is compiled by a process of its own, which takes five
    // times as long.
    let optimization: SwiftSetting = .unsafeFlags(
        ["-Xfrontend", "-O", "-assert-config", "Debug"], .when(configuration: .debug))
    for target in package.targets where optimizedModules.contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + [optimization]
    }
#endif

// The privacy manifest that Apple asks of libraries (documentation/bundleresources/privacy-manifest-files): what this package
// reads of a device, and why. Elsewhere it is only a file.
for target in package.targets where target.name == "ApusFoundation" {
    #if os(macOS)
        target.resources = [.copy("PrivacyInfo.xcprivacy")]
    #else
        target.exclude = ["PrivacyInfo.xcprivacy"]
    #endif
}

// The sample apps are compiled as an app would be.
let withoutFeatures = [
    "CApus", "CAllocationCount", "CProcessClock", "CWaitingCalls", "ChaosEffect", "MigrationExamples",
    "SampleAppsSwift5", "SampleAppsSwift6", "SwiftUITutorials", "Tutorials",
]
for target in package.targets
where target.type != .plugin && target.type != .system && !withoutFeatures.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + upcomingFeatures
}

// With APUS_ONLY, names of targets with spaces between: only these, what they need, and the packages that those need. SwiftPM
// compiles all targets before it runs a test; `make test-jobs` and its siblings do without the others, and so does
// `make tsan`, for which everything is compiled once more.
if let names = Context.environment["APUS_ONLY"] {
    var kept: Set<String> = []
    var packages: Set<String> = []
    var open = names.split(separator: " ").map(String.init)
    while let name = open.popLast() {
        guard kept.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("there is no target \(name)")
        }
        if target.plugins != nil { open += ["EmbedWeb"] }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let other, _), .byNameItem(let other, _): open.append(other)
            case .productItem(_, let other, _, _): packages.insert(other?.lowercased() ?? "")
            default: break
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        (product as? Product.Library).map { !kept.isSuperset(of: $0.targets) }
            ?? (product as? Product.Executable).map { !kept.isSuperset(of: $0.targets) } ?? false
    }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !packages.contains { location.lowercased().hasSuffix("/\($0).git") }
    }
}
