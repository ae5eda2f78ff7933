import ApusSampleApp
import ApusTimers
import PlatformC

// This program runs the sample app's month for the seed that is its only argument. It writes the device's log to
// standard output, and the real time that the month took, in milliseconds, to standard error. The tests compare the log
// with their own.

func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count <= 0 { exit(3) }
        bytes = bytes.dropFirst(count)
    }
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 1, let seed = arguments.first.flatMap({ UInt64($0) }) else {
    let given = arguments.isEmpty ? "nothing" : arguments.map { "“\($0)”" }.joined(separator: " ")
    write("the arguments are \(given), but have to be one seed: a number from 0 to \(UInt64.max)\n", to: STDERR_FILENO)
    exit(64)
}

let start = SystemTime().continuous()
let month = try SampleMonth.run(seed: seed)
let milliseconds = start.duration(to: SystemTime().continuous()).wholeNanoseconds / 1_000_000
write(month.logText, to: STDOUT_FILENO)
write("\(milliseconds) ms\n", to: STDERR_FILENO)
