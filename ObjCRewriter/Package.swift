// swift-tools-version: 6.2
import PackageDescription

// The plugin RewriteObjC makes an app's sources with Objective-C's attributes and selectors compile on Linux. It is a package
// of its own, because it fetches and compiles swift-syntax. docs/simulated-apple.md shows how to use it.

/// Each line names the proposal that explains it.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
]

// A build that shares its folder with the repository's other packages has their trait, so that it need not compile the
// libraries again.
let trait: Package.Dependency.Trait = Context.environment["OPTIMIZE_APUS"] == "1" ? "All" : "SimulatedApple"

let package = Package(
    name: "apus-objc-rewriter",
    platforms: [.macOS(.v15)],
    products: [
        .plugin(name: "RewriteObjC", targets: ["RewriteObjC"])
    ],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "602.0.0"),
        // For the tests only.
        .package(name: "apus", path: "..", traits: [trait]),
    ],
    targets: [
        .target(
            name: "ObjCRewriting",
            dependencies: [
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .executableTarget(name: "ObjCRewriter", dependencies: ["ObjCRewriting"], swiftSettings: settings),
        .plugin(name: "RewriteObjC", capability: .buildTool(), dependencies: ["ObjCRewriter"]),
        .testTarget(name: "ObjCRewritingTests", dependencies: ["ObjCRewriting"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// An app as people write it with UIKit, and its test on the simulated phone.
#if os(Linux)
    package.targets += [
        .executableTarget(
            name: "OutletApp", dependencies: [.product(name: "SimulatedApple", package: "apus")],
            path: "Tests/OutletApp", exclude: ["App"], swiftSettings: [.swiftLanguageMode(.v5)],
            plugins: ["RewriteObjC"]),
        .testTarget(
            name: "OutletAppTests",
            dependencies: [
                "OutletApp", .product(name: "ApusTestTraits", package: "apus"),
                .product(name: "SimulatedApple", package: "apus"),
            ],
            swiftSettings: settings),
    ]
#endif
