import ApusTimers

let timer = try RepeatingTimer(every: .seconds(2)) { tick in
    print("tick \(tick.number), \(tick.missedCount) missed before it")
}
timer.resume()
try await TimerEngine.shared.sleep(for: .seconds(3_600))
timer.cancel()
