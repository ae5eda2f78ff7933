// swift-tools-version: 6.2
import PackageDescription

// The daemon and the command: a package of its own, so that who uses a library does not fetch what only these need.
//
// `make` builds it in the build folder of the libraries, which are then compiled once.

/// The name with which SwiftPM compiles the libraries: that of their folder, as an identifier.
let libraries: String = {
    var name = Context.packageDirectory.split(separator: "/").dropLast().last!.lowercased()
    if name.hasSuffix(".git") { name.removeLast(4) }
    return String(
        name.enumerated().map { $1.isLetter || $1 == "_" || $0 > 0 && $1.isNumber ? $1 : "_" })
}()

/// Each line with a number names the proposal that explains it.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    // The declarations with `package` access of the libraries are visible here.
    .unsafeFlags(["-package-name", libraries]),
]

func module(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = [],
    plugins: [Target.PluginUsage] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path, exclude: exclude, packageAccess: false,
        swiftSettings: settings,
        plugins: plugins)
}

func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, packageAccess: false, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, packageAccess: false, swiftSettings: settings)
}

func apus(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "apus") } }

func nio(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "swift-nio") } }

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "apus-command",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "apus", targets: ["ApusProgram"]),
        .executable(name: "apusd", targets: ["ApusDaemonProgram"]),
        // For Examples/ and Benchmarks/.
        .library(name: "ApusClient", targets: ["ApusClient"]),
        .library(name: "LoopbackWeb", targets: ["LoopbackWeb"]),
        .library(name: "_LoopbackWebTestSupport", targets: ["LoopbackWebTestSupport"]),
    ],
    dependencies: [
        .package(name: "apus", path: "..", traits: ["All"]),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        // Without its parser of JSON files, which needs the whole of Foundation and takes a number for a truth value.
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.0.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.95.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.30.0"),
        // Its two default traits would reach the compiler in a random order, and have it compiled again and again.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.17.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.9.0"),
        // For the tests only.
        .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.0.4"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.0.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0"),
    ],
    targets: [
        module("ApusJSON", []),
        // For webhooks. Not AsyncHTTPClient and swift-crypto, whose C takes as long to compile as a fifth of the command.
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        // Puts the files of a target's folder `Web` into the program, which is installed as one file. (With the resource
        // rule `.embedInCode`, 150 KB take half a minute to compile: it writes an array of numbers.)
        program("WebEmbedder", []),
        .plugin(name: "EmbedWeb", capability: .buildTool(), dependencies: ["WebEmbedder"]),
        // What listeners with a page share.
        module(
            "LoopbackWeb",
            ["ApusJSON", hummingbird, logging, serviceLifecycle] + apus("ApusTimers")
                + nio("NIOCore", "NIOHTTP1", "NIOPosix") + [
                    .product(name: "HummingbirdCore", package: "hummingbird"),
                    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                ]),
        // Without NIO and the stores: the runtime searches all types of a program again and again, so the command's time
        // grows with what it links.
        module(
            "ApusClient",
            ["ApusJSON"] + apus("ApusBackground", "ApusCalendar", "ApusJobs", "ApusTimers", "_ApusInternals")),
        module(
            "ApusDaemon",
            [
                "ApusClient", "ApusJSON", "CCurl", "LoopbackWeb",
                .target(name: "COpenSSL", condition: .when(platforms: [.linux])),
            ]
                + apus(
                    "ApusBackground", "ApusCalendar", "ApusJobs", "ApusLinux", "ApusPostgres", "ApusSQLite",
                    "ApusTimers", "_ApusInternals")
                + nio("NIOCore", "NIOPosix") + [
                    hummingbird, logging, metrics,
                    .product(name: "Configuration", package: "swift-configuration"),
                ],
            exclude: ["Dashboard/Web"], plugins: ["EmbedWeb"]),
        // The subcommands that only talk to a daemon.
        module(
            "ApusCommand",
            ["ApusClient", "ApusJSON", argumentParser]
                + apus("ApusCalendar", "ApusJobs", "ApusTimers", "_ApusInternals")),
        // Not named `apus`: on a case-insensitive file system that is the umbrella module again.
        program("ApusProgram", ["ApusClient", "ApusCommand", argumentParser] + apus("_ApusInternals")),
        program(
            "ApusDaemonProgram",
            ["ApusClient", "ApusCommand", "ApusDaemon", argumentParser, logging]
                + apus("ApusCalendar", "ApusJobs", "ApusSQLite", "ApusTimers")),
        // Not AsyncHTTPClient, for the C of whose TLS see above.
        module(
            "LoopbackWebTestSupport", nio("NIOCore", "NIOHTTP1", "NIOPosix"), path: "Tests/LoopbackWebTestSupport"),
        tests(
            "LoopbackWebTests",
            ["ApusJSON", "LoopbackWeb", hummingbird, logging]
                + apus("ApusTimers", "ApusVirtualTime", "_ApusInternals", "_ApusTestSupport")
                + nio("NIOCore", "NIOPosix")),
        tests(
            "ApusDaemonTests",
            ["ApusClient", "ApusDaemon", "ApusJSON", "LoopbackWeb", hummingbird, logging, metrics]
                + apus(
                    "ApusCalendar", "ApusJobs", "ApusJobsTesting", "ApusTimers", "ApusVirtualTime", "_ApusInternals",
                    "_ApusTestSupport")
                + nio("NIOCore", "NIOEmbedded", "NIOPosix")),
        tests(
            "EndToEndTests",
            [
                "ApusClient", "ApusCommand", "ApusDaemon", "ApusDaemonProgram", "ApusProgram",
                "LoopbackWebTestSupport", hummingbird, .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Subprocess", package: "swift-subprocess"), .product(name: "Yams", package: "Yams"),
            ]
                + apus(
                    "ApusCalendar", "ApusJobs", "ApusPostgres", "ApusSQLite", "ApusTimers", "ApusVirtualTime",
                    "_ApusTestSupport")
                + nio("NIOCore", "NIOHTTP1", "NIOPosix")),
        // Other packages over the libraries' clocks.
        tests(
            "EcosystemTests",
            [.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")]
                + apus("ApusTestTraits", "ApusTimers", "ApusVirtualTime", "_ApusTestSupport")
                + nio("NIOCore", "NIOPosix")),
        // Kills the real daemon as many times as its argument says, and checks the promises: `make torture`.
        program(
            "ApusTorture",
            ["ApusClient", "ApusDaemon", "LoopbackWebTestSupport", argumentParser]
                + apus("ApusJobs", "ApusTimers", "_ApusTestSupport"),
            path: "Tests/ApusTorture"),
        // Kills nodes, connections and servers under load, and checks the promises of a cluster: `make chaos`.
        program(
            "ApusChaos",
            ["ApusClient", "ApusDaemon", argumentParser, logging]
                + apus("ApusJobs", "ApusPostgres", "ApusTimers", "_ApusTestSupport"),
            path: "Tests/ApusChaos"),
        // The command of their jobs.
        program("ChaosEffect", [], path: "Tests/ChaosEffect"),
        // Simulates the scheduler from as many seeds as its argument says: `make simulate`.
        program(
            "ApusSimulation", [argumentParser] + apus("ApusTimers", "_ApusTestSupport"), path: "Tests/ApusSimulation"),
    ],
    swiftLanguageModes: [.v6]
)
