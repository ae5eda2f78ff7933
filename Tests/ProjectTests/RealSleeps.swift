/// Sleeps of tests and examples in real time, each of which needs a reason beside it.
enum RealSleeps {
    static let calls = ["Task.sleep(", "Thread.sleep(", "TimerEngine.shared.sleep(", "usleep(", "nanosleep("]

    /// What runs in a process with virtual time, or is shown as the code of an app and not run at all.
    static let virtualFolders = [
        "Command/Tests/EcosystemTests/", "Examples/Tests/DocumentationTests/Examples/", "Tests/MigrationExamples/",
        "Tests/ProcessClockTests/", "Tests/SampleApps/",
        "Tests/SimulatedAppleTests/", "Tests/SwiftUITutorials/", "Tests/TestTraitsTests/", "Tests/Tutorials/",
    ]

    /// Every such call without a comment at the end of its line, or directly above it.
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
