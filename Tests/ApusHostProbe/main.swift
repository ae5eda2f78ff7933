import ApusBackground
import ApusLinux
import ApusTimers
import PlatformC

// This process runs under a LinuxHost, begins three background tasks, and reports on standard output what happens to
// them.
//
// The first argument is the grace period. The second is the last part of that period, which is for winding up. Both are
// in milliseconds. The third is `obedient` if the third task ends when it expires, or `deaf` if it does not. The first
// two tasks end some time after the process was asked to stop. A timer ticks every 50 ms. When the process has stood
// still, the timer reports the number of missed ticks.

let arguments = CommandLine.arguments
guard arguments.count == 4, let grace = Int(arguments[1]), let margin = Int(arguments[2]) else {
    print("usage: \(arguments[0]) GRACE_MS MARGIN_MS obedient|deaf")
    exit(64)
}

// A test that goes wrong must not wait for ever, nor leave this process running. Under the thread sanitizer on a busy
// machine, even successful tests have waited a minute for their turn.
alarm(600)

@Sendable func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    // The line is written unbuffered in one call, so that the test can read it immediately.
    if write(STDOUT_FILENO, bytes, bytes.count) != bytes.count { exit(3) }
}

let host = LinuxHost(
    configuration: .init(gracePeriod: .milliseconds(grace), expirationMargin: .milliseconds(margin)))

let first = try host.beginBackgroundTask(named: "first") { say("expired first") }
let second = try host.beginBackgroundTask(named: "second") { say("expired second") }
var request = BackgroundTaskRequest(name: "third") { say("expired third") }
request.endsOnExpiration = arguments[3] == "obedient"
let third = try host.beginBackgroundTask(request)

let phases = host.observePhase { phase in
    say("phase \(phase)")
    guard phase == .background else { return }
    for (task, delay) in [(first, 300), (second, 1_000)] {
        host.engine.schedule(after: .milliseconds(delay)) {
            say("ended \(task.name)")
            task.end()
        }
    }
}

let timer = try RepeatingTimer(every: .milliseconds(50), engine: host.engine) { tick in
    // On a busy machine, the process may miss one or two ticks without standing still.
    if tick.missedCount >= 5 { say("tick that missed \(tick.missedCount)") }
}
timer.resume()

host.reportReady()
let outcome = try await host.run()
say(outcome == .completed ? "completed" : "cut third")
withExtendedLifetime((phases, timer, third)) {}
exit(outcome.exitCode)
