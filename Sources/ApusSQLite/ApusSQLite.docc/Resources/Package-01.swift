// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Tea",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://example.com/apus.git", branch: "main", traits: ["SQLite"])
    ],
    targets: [
        .executableTarget(
            name: "Tea",
            dependencies: [.product(name: "Apus", package: "apus"), .product(name: "ApusSQLite", package: "apus")])
    ]
)
