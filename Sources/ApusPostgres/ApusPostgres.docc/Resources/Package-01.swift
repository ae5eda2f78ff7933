// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Nodes",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://example.com/apus.git", branch: "main", traits: ["Postgres"])
    ],
    targets: [
        .executableTarget(
            name: "Nodes",
            dependencies: [.product(name: "Apus", package: "apus"), .product(name: "ApusPostgres", package: "apus")])
    ]
)
