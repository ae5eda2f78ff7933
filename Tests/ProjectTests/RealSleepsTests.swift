import Testing

/// Finds the calls with which tests and examples sleep in real time, each of which needs a reason beside it.
enum RealSleeps {
    static let calls = ["Task.sleep(", "Thread.sleep(", "TimerEngine.shared.sleep(", "usleep(", "nanosleep("]

    /// The folders whose code runs in a process with virtual time, or is shown as the code of an app and does not run.
    static let virtualFolders = [
        "Command/Tests/EcosystemTests/", "Examples/Tests/DocumentationTests/Examples/", "Tests/MigrationExamples/",
        "Tests/ProcessClockTests/", "Tests/SampleApps/",
        "Tests/SimulatedAppleTests/", "Tests/SwiftUITutorials/", "Tests/TestTraitsTests/", "Tests/Tutorials/",
    ]

    /// Returns a message for each such call that has no comment at the end of its line or directly above it.
    static func objections(to source: String, path: String) -> [String] {
        guard !virtualFolders.contains(where: path.hasPrefix), calls.contains(where: source.has) else { return [] }
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
        return SourceText(source).lines.enumerated().flatMap { index, code in
            calls.filter { code.has($0) }.filter { _ in
                !SourceText.hasComment(lines[index]) && !(index > 0 && lines[index - 1].hasPrefix("//"))
            }.map { "\(path):\(index + 1): \($0)…) has no reason; wait for an event, or say why real time has to pass" }
        }
    }
}

@Suite("Sleeps in real time")
struct RealSleepsTests {
    @Test("each of tests and examples has a reason beside it")
    func sources() throws {
        let files = try ProjectFiles.tests() + ProjectFiles.sources().filter { $0.path.hasPrefix("Examples/") }
        #expect(files.contains { file in RealSleeps.calls.contains { file.text.has($0) } })
        for file in files {
            for objection in RealSleeps.objections(to: file.text, path: file.path) { Issue.record("\(objection)") }
        }
    }

    @Test(
        "a sleep without a reason is found",
        arguments: [
            "try await Task.sleep(for: .seconds(1))", "usleep(5)  //",
            "// Real time, because.\n\ntry await TimerEngine.shared.sleep(for: .seconds(1))",
            "while true { Thread.sleep(forTimeInterval: 1) }",
        ])
    func rejects(source: String) {
        #expect(RealSleeps.objections(to: source, path: "Tests/XTests/A.swift").count == 1)
    }

    @Test(
        "a sleep with a reason is accepted, and so is one in virtual time and one that is no code",
        arguments: [
            "// Real time: another program reports nothing.\ntry await Task.sleep(for: .seconds(1))",
            "usleep(5)  // the moment is the subject", "// Task.sleep(1)", "let text = \"usleep(1)\"",
            "try await engine.sleep(for: .seconds(1))",
        ])
    func accepts(source: String) {
        #expect(RealSleeps.objections(to: source, path: "Tests/XTests/A.swift") == [])
    }

    @Test("the folders in virtual time are there")
    func folders() throws {
        let files = try ProjectFiles.tests()
        for folder in RealSleeps.virtualFolders { #expect(files.contains { $0.path.hasPrefix(folder) }, "\(folder)") }
    }
}
