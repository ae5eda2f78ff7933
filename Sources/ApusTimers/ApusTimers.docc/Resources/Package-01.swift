// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Ticker",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://example.com/apus.git", branch: "main")
    ],
    targets: [
        .executableTarget(name: "Ticker", dependencies: [.product(name: "ApusTimers", package: "apus")]),
        .testTarget(name: "TickerTests", dependencies: ["Ticker", .product(name: "ApusVirtualTime", package: "apus")]),
    ]
)
