import Testing

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
