#if os(Linux)
    import ApusBackground
    import ApusDevice
    import ApusTimers
    import CWaitingCalls
    import Foundation
    import Testing

    @testable import SimulatedAppleCore

    /// Programs that run as processes of an app.
    ///
    /// They know the phone only by `note`, which reports to the test.
    private enum Programs {
        /// Begins one wait of 30 seconds in each way to wait.
        static func waits() {
            for call in WaitingCall.all { call.begin(30) { SimulatedPhone.note(call.name) } }
        }

        /// Notes a tick each second from a thread, a queue, the run loop and a task.
        static func ticks() {
            Thread.detachNewThread {
                while true {
                    Thread.sleep(forTimeInterval: 1)
                    SimulatedPhone.note("thread")
                }
            }
            let source = DispatchSource.makeTimerSource(queue: .global())
            source.schedule(deadline: .now() + 1, repeating: 1)
            // The handler retains the source, so the source lives for ever.
            source.setEventHandler { withExtendedLifetime(source) { SimulatedPhone.note("source") } }
            source.resume()
            _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in SimulatedPhone.note("timer") }
            Task {
                while true {
                    try await Task.sleep(for: .seconds(1))
                    SimulatedPhone.note("task")
                }
            }
        }

        static let launches = Locked(0)
    }

    @MainActor
    @Suite("A process of a simulated app")
    struct AppProcessTests {
        @Test("each kind of wait is paused while the app is suspended, and ends when the app continues")
        func suspension() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { Programs.waits() })
                device.launch()
                device.advance(by: .seconds(10))
                device.pressHome()
                device.advance(by: .seconds(60))
                #expect(device.appPhase == .suspended)
                #expect(device.notes == [])
                device.open()
                device.advance(by: .zero)
                #expect(device.notes.sorted() == WaitingCall.all.map(\.name).sorted())
                device.advance(by: .seconds(60))
                #expect(device.notes.count == WaitingCall.all.count)
            }
        }

        @Test("nothing of a killed app runs again, and the next process begins anew")
        func kill() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { Programs.waits() })
                device.launch()
                device.advance(by: .seconds(29))
                device.kill()
                device.advance(by: .seconds(3600))
                #expect(device.notes == [])
                device.launch()
                device.advance(by: .seconds(29))
                #expect(device.notes == [])
                device.advance(by: .seconds(1) + .microseconds(1))
                #expect(device.notes.sorted() == WaitingCall.all.map(\.name).sorted())
            }
        }

        @Test("ticks come each second in front, and not one in the background")
        func ticks() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { Programs.ticks() })
                device.launch()
                device.advance(by: .seconds(5) + .milliseconds(1))
                #expect(
                    Dictionary(device.notes.map { ($0, 1) }, uniquingKeysWith: +)
                        == ["thread": 5, "source": 5, "timer": 5, "task": 5])
                device.pressHome()
                device.advance(by: .seconds(10))
                let before = device.notes.count
                device.advance(by: .seconds(3600))
                #expect(device.notes.count == before)
            }
        }

        @Test("dates of the app follow the device's clock, and a day that is skipped is skipped for it too")
        func dates() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device,
                    program: {
                        let start = Date()
                        _ = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in
                            SimulatedPhone.note("\(Int(Date().timeIntervalSince(start)))")
                        }
                    })
                device.launch()
                device.advance(by: .seconds(61))
                device.moveWallClock(by: .seconds(86400))
                device.advance(by: .seconds(60))
                #expect(device.notes == ["60", "\(86400 + 120)"])
            }
        }

        @Test("variables of the app are new in each process")
        func variables() throws {
            try SimulatedDevice.run { device in
                SimulatedPhone.install(
                    on: device,
                    program: {
                        let count = Programs.launches.withLock { count in
                            count += 1
                            return count
                        }
                        SimulatedPhone.note("launch \(count)")
                        _ = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in }
                    })
                for _ in 0..<3 {
                    device.launch()
                    device.advance(by: .seconds(1))
                    device.kill()
                }
                #expect(device.notes == ["launch 1", "launch 1", "launch 1"])
            }
        }

        @Test("processes are forked from one launcher as long as the environment is the same")
        func launchers() throws {
            var environment = ProcessInfo.processInfo.environment
            let first = try AppLauncher.current(environment)
            #expect(try AppLauncher.current(environment) === first)
            environment["APUS_TEST"] = "changed"
            let second = try AppLauncher.current(environment)
            #expect(second !== first)
            #expect(try AppLauncher.current(environment) === second)
        }

        @Test("a launcher that is not needed any more leaves no zombie, which exit tests would find for ever")
        func noZombies() throws {
            func states() throws -> [Substring] {
                try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.compactMap {
                    guard let text = try? String(contentsOfFile: "/proc/\($0)/stat", encoding: .utf8) else {
                        return nil
                    }
                    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
                    let isOurs = fields.count > 2 && fields[2] == "\(getpid())"
                    return isOurs && text.contains(" (exe) ") ? fields[1] : nil
                }
            }
            var environment = ProcessInfo.processInfo.environment
            for number in 1...3 {
                environment["APUS_TEST"] = "\(number)"
                _ = try AppLauncher.current(environment)
            }
            // On a busy machine the process may wait for the disk (state D), so only the state Z is excluded.
            #expect(try states().contains { $0 != "Z" }, "the last one is alive")
            // The process of an exit test beside this one has the same name, and is a zombie until it is reaped.
            var attempts = 60_000
            while try states().contains("Z"), attempts > 0 {
                usleep(1_000)
                attempts -= 1
            }
            #expect(attempts > 0)
        }

        @Test("each installation has user defaults of its own, and Dispatch knows the first thread of its process")
        func surroundings() throws {
            let notes = try (0..<2).map { _ in
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device,
                        program: {
                            SimulatedPhone.note("\(UserDefaults.standard.bool(forKey: "wasSet"))")
                            UserDefaults.standard.set(true, forKey: "wasSet")
                            SimulatedPhone.note("\(thread_of_main_queue() == UInt32(getpid()))")
                            _ = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in }
                        })
                    device.launch()
                    return device.notes
                }
            }
            #expect(notes == [["false", "true"], ["false", "true"]])
        }

        @Test("a trap of the app is a fault that names the signal")
        func trap() throws {
            let error = #expect(throws: DeviceError.self) {
                try SimulatedDevice.run { device in
                    SimulatedPhone.install(
                        on: device,
                        program: {
                            _ = Timer.scheduledTimer(withTimeInterval: 3, repeats: false) { _ in abort() }
                        })
                    device.launch()
                    device.advance(by: .seconds(2))
                    #expect(device.appPhase == .active)
                    device.advance(by: .seconds(1))
                    #expect(device.appPhase == nil)
                }
            }
            #expect(error?.unexpectedFaults.map(\.rule) == [.appProcessCrash])
            #expect(error?.unexpectedFaults.first?.message.contains("Aborted") == true)
        }

        @Test("the same program on the same device has the same log, whatever the machine does")
        func sameLog() throws {
            let logs = try (0..<Repetitions.count).map { _ in
                try SimulatedDevice.run(seed: 7) { device in
                    SimulatedPhone.install(
                        on: device,
                        program: {
                            _ = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: true) { _ in
                                SimulatedPhone.note("timer")
                            }
                            let queue = DispatchQueue(label: "serial")
                            for delay in 1..<20 {
                                queue.asyncAfter(deadline: .now() + Double(delay) * 0.3) {
                                    SimulatedPhone.note("\(delay)")
                                }
                            }
                        })
                    device.launch()
                    device.advance(by: .seconds(4))
                    device.pressHome()
                    device.advance(by: .seconds(100))
                    device.open()
                    device.advance(by: .seconds(4))
                    return device.logText
                }
            }
            for log in logs where log != logs[0] {
                let (one, other) = (logs[0].split(separator: "\n"), log.split(separator: "\n"))
                let difference = other.difference(from: one)
                Issue.record("the logs differ: \(difference.map { "\($0)" }.joined(separator: ", "))")
            }
        }
    }
#endif
