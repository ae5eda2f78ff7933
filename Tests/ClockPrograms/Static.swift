// A program in virtual time that has Dispatch and Foundation linked in statically; Scripts/c-checks runs it.
import Dispatch
import Foundation

let begin = process_clock_reading(
    uptime: 3_600_000_000_000, continuous: 3_600_000_000_000, wall: 1_767_225_600_000_000_000)
guard process_clock_begin(begin) == 0, process_clock_run_by_itself(0) == 0 else { exit(2) }
let start = Date()
DispatchQueue.global().asyncAfter(deadline: .now() + 60) {
    exit(Date().timeIntervalSince(start) >= 60 ? 0 : 1)
}
dispatchMain()
