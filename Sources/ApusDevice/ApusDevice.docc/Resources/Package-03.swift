// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Feed",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://example.com/apus.git", branch: "main", traits: ["SimulatedApple"])
    ],
    targets: [
        .target(
            name: "Feed", dependencies: [.product(name: "SimulatedApple", package: "apus")],
            swiftSettings: [
                .unsafeFlags(
                    [
                        "-module-alias", "Combine=SimulatedCombine", "-module-alias", "SwiftUI=SimulatedSwiftUI",
                        "-module-alias", "OSLog=SimulatedOSLog", "-module-alias", "os=SimulatedOS",
                        "-module-alias", "Security=SimulatedSecurity",
                        "-Xfrontend", "-import-module", "-Xfrontend", "SimulatedFoundation",
                        "-Xfrontend", "-import-module", "-Xfrontend", "SimulatedOSLog", "-Onone",
                    ],
                    .when(platforms: [.linux]))
            ]),
        .testTarget(
            name: "FeedTests",
            dependencies: [
                "Feed", .product(name: "SimulatedApple", package: "apus"),
                .product(name: "ApusTesting", package: "apus"), .product(name: "ApusTestTraits", package: "apus"),
            ]),
    ]
)
