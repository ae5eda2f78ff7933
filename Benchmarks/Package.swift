// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "apus-benchmarks",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "store-bench", targets: ["StoreBench"])],
    dependencies: [
        .package(name: "apus", path: ".."),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "StoreBench",
            dependencies: [
                .product(name: "ApusJobs", package: "apus"),
                .product(name: "ApusSQLite", package: "apus"),
                .product(name: "ApusTimers", package: "apus"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        )
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
