// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "apus-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "calendar-bench", targets: ["CalendarBench"]),
        .executable(name: "cluster-bench", targets: ["ClusterBench"]),
        .executable(name: "jobs-bench", targets: ["JobsBench"]),
        .executable(name: "timer-bench", targets: ["TimerBench"]),
    ],
    dependencies: [
        .package(name: "apus", path: "..", traits: ["All"]),
        .package(path: "../Command"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        // The libraries with which the timers are compared.
        .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.95.0"),
    ],
    targets: [
        // The figures and their table, and SQLite, with which durable jobs are compared.
        .target(name: "BenchSupport", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")]),
        .executableTarget(
            name: "CalendarBench", dependencies: ["BenchSupport", .product(name: "ApusCalendar", package: "apus")]
        ),
        .executableTarget(
            name: "ClusterBench",
            dependencies: [
                "BenchSupport",
                .product(name: "ApusJobs", package: "apus"),
                .product(name: "ApusPostgres", package: "apus"),
                .product(name: "ApusTimers", package: "apus"),
            ]
        ),
        .executableTarget(
            name: "JobsBench",
            dependencies: [
                "BenchSupport",
                .product(name: "ApusClient", package: "Command"),
                .product(name: "ApusJobs", package: "apus"),
                .product(name: "ApusSQLite", package: "apus"),
                // The product includes its C module, whose timerfd calls are used here.
                .product(name: "ApusTimers", package: "apus"),
            ]
        ),
        .executableTarget(
            name: "TimerBench",
            dependencies: [
                "BenchSupport",
                // The product includes its C module, whose timerfd calls are used here.
                .product(name: "ApusTimers", package: "apus"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
        ]
}
