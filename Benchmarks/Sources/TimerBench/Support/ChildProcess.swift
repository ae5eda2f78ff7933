import Foundation

/// Runs this program again to measure something in a separate process, and returns the numbers that it prints.
func numbersOfChild(_ arguments: [String]) throws -> [Double] {
    let numbers = try outputOfChild(arguments).split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    try check(!numbers.isEmpty, "the child \(arguments.joined(separator: " ")) printed no numbers")
    return numbers
}

/// Runs this program again, and returns its output.
func outputOfChild(_ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try check(
        process.terminationStatus == 0,
        "the child \(arguments.joined(separator: " ")) ended with status \(process.terminationStatus)")
    return text
}
