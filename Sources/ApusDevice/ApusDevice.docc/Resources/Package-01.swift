// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Feed",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://example.com/apus.git", branch: "main")
    ],
    targets: [
        .target(name: "Feed", dependencies: [.product(name: "SimulatedApple", package: "apus")]),
        .testTarget(
            name: "FeedTests",
            dependencies: [
                "Feed", .product(name: "SimulatedApple", package: "apus"),
                .product(name: "ApusTesting", package: "apus"), .product(name: "ApusTestTraits", package: "apus"),
            ]),
    ]
)
