import Testing

@Suite("The order of the modules")
struct ModuleOrderTests {
    @Test("no file imports a module of its own floor or above, and the core does without Foundation")
    func sources() throws {
        let files = try ProjectFiles.sources()
        #expect(!files.isEmpty)
        for file in files {
            let module = ModuleOrder.module(ofPath: file.path)
            for objection in ModuleOrder.objections(to: file.text, in: module, path: file.path) {
                Issue.record("\(objection)")
            }
        }
    }

    @Test("a file's module is its folder, and that of a simulated framework the folder below")
    func modules() {
        #expect(ModuleOrder.module(ofPath: "Sources/ApusTimers/Clocks/Instants.swift") == "ApusTimers")
        #expect(ModuleOrder.module(ofPath: "Sources/SimulatedApple/UIKit/UIDevice.swift") == "UIKit")
        #expect(ModuleOrder.module(ofPath: "Examples/Sleepless/App/App.swift") == "SleeplessApp")
        #expect(ModuleOrder.module(ofPath: "Examples/Sleepless/Server/Stage.swift") == "Sleepless")
    }

    @Test("no target of the manifest depends on one of its own floor or above")
    func manifest() throws {
        let targets = ModuleOrder.dependencies(inManifest: try ProjectFiles.read("Package.swift"))
        #expect(targets["ApusJobs"]?.contains("ApusBackground") == true, "the manifest was not understood")
        #expect(targets["ApusCommand"]?.contains("ApusDaemon") == true, "the manifest was not understood")
        for (target, dependencies) in targets {
            #expect(ModuleOrder.floor(of: target) != nil, "\(target) has no floor in ModuleOrder.floors")
            for dependency in dependencies {
                #expect(ModuleOrder.objection(to: target, using: dependency) == nil)
            }
        }
    }

    @Test(
        "an import that points up or sideways, and Foundation in the core, is rejected",
        arguments: [
            ("ApusTimers", "import ApusJobs"), ("TimerWheel", "public import ApusTimers"),
            ("ApusLinux", "import ApusSQLite"), ("ApusSQLite", "@testable import ApusTesting"),
            ("ApusJobs", "import struct ApusSQLite.SQLiteStore"), ("ApusJobs", "  @preconcurrency public import Apus"),
            ("ApusDaemon", "internal import ApusCommand"), ("TimerWheel", "import CApus"),
            ("ApusTimers", "import Foundation"), ("ApusTimers", "import FoundationEssentials"),
            ("ApusJobs", "import Foundation"), ("ApusJobs", "import struct Foundation.Date"),
            ("ApusJobs", "#if canImport(FoundationEssentials)\nimport Foundation\n#endif"),
            ("ApusJobs", "#if canImport(Glibc)\n#else\nimport Foundation\n#endif"),
            ("ApusBackground", "#if canImport(FoundationEssentials)\n#else\nimport Foundation\n#endif"),
            ("Unlisted", "import ApusTimers"), ("ApusTimers", "/* why */ import ApusDaemon // because"),
        ])
    func rejects(module: String, source: String) {
        #expect(ModuleOrder.objections(to: source, in: module, path: "sample").count == 1)
    }

    @Test(
        "an import that points down is accepted, and so is a mention that imports nothing",
        arguments: [
            ("ApusJobs", "public import ApusTimers"), ("ApusDaemon", "import ApusSQLite\nimport ApusLinux"),
            ("ApusJobs", "import FoundationEssentials"), ("ApusDaemon", "import Foundation"),
            ("ApusJobs", "#if canImport(FoundationEssentials)\n#else\npublic import Foundation\n#endif"),
            ("ApusTimers", "// import ApusJobs"), ("ApusTimers", "/* \n import ApusJobs\n */"),
            ("ApusTimers", "let text = \"\"\"\n    import ApusJobs\n    \"\"\""), ("ApusTimers", "let important = 1"),
            ("ApusTimers", "import Synchronization"),
        ])
    func accepts(module: String, source: String) {
        #expect(ModuleOrder.objections(to: source, in: module, path: "sample").isEmpty)
    }

    @Test("a manifest's dependencies are found in every notation, and products are not among them")
    func manifestText() {
        let targets = ModuleOrder.dependencies(
            inManifest: """
                dependencies: [.package(url: "https://example.org/x.git", from: "1.0.0")],
                .target(name: "TimerWheel"),
                // .target(name: "Gone", dependencies: ["ApusDaemon"]),
                .target(name: "ApusTimers", dependencies: ["TimerWheel", .target(name: "ApusJobs")]),
                .executableTarget(
                    name: "ApusCommand",  // why
                    dependencies: [
                        "ApusDaemon",
                        .product(name: "ApusTesting", package: "other"),
                    ]
                ),
                """)
        #expect(targets["TimerWheel"] == [])
        #expect(targets["ApusTimers"] == ["TimerWheel", "ApusJobs"])
        #expect(targets["ApusCommand"] == ["ApusDaemon"])
        #expect(targets["Gone"] == nil)
        #expect(ModuleOrder.objection(to: "ApusTimers", using: "ApusJobs") != nil)
        #expect(ModuleOrder.objection(to: "ApusTimers", using: "TimerWheel") == nil)
    }
}
