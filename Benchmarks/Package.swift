// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "apus-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "store-bench", targets: ["StoreBench"]),
        .executable(name: "daemon-bench", targets: ["DaemonBench"]),
    ],
    dependencies: [
        .package(name: "apus", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
    ],
    targets: [
        // Figures, the table, the flags, and what the store is compared with.
        .target(name: "BenchSupport", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")]),
        .executableTarget(
            name: "StoreBench",
            dependencies: [
                "BenchSupport",
                .product(name: "ApusJobs", package: "apus"),
                .product(name: "ApusSQLite", package: "apus"),
                .product(name: "ApusTimers", package: "apus"),
            ]
        ),
        .executableTarget(
            name: "DaemonBench",
            dependencies: [
                "BenchSupport",
                .product(name: "ApusDaemon", package: "apus"),
                .product(name: "ApusJobs", package: "apus"),
                .product(name: "ApusSQLite", package: "apus"),
                // With its C module of timerfd calls.
                .product(name: "ApusTimers", package: "apus"),
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
