#if os(Linux)
    import ApusBackground
    import ApusTesting
    import ApusTestTraits
    import ApusTimers
    import Foundation
    import SimulatedPhone
    import SimulatedSwiftUI
    import SwiftUITutorials
    import Testing

    /// The user and the reader in the app's process: the test's process does not see its screen.
    private enum Eyes {
        /// Notes the lines of the screen whenever they have changed, half a second after each full one.
        static func read() {
            let timer = Timer(fire: Date(timeIntervalSinceNow: 0.5), interval: 1, repeats: true) { _ in
                MainActor.assumeIsolated {
                    let lines = HeadlessScreen.current?.lines.joined(separator: " | ") ?? ""
                    if lines != last { SimulatedPhone.note(lines) }
                    last = lines
                }
            }
            RunLoop.main.add(timer, forMode: .common)
        }

        /// Presses a button after that many seconds.
        static func press(_ title: String, after seconds: Double) {
            DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
                MainActor.assumeIsolated {
                    if HeadlessScreen.current?.press(title: title) != true { SimulatedPhone.note("no \(title)") }
                }
            }
        }

        @MainActor private static var last = ""
    }

    @MainActor
    @Suite("The apps of tutorials with SwiftUI, on a simulated phone", .simulatedPhone())
    struct SwiftUIAppTests {
        private let device: SimulatedDevice

        init() throws { device = try #require(SimulatedDevice.current) }

        private func install(_ program: @escaping @convention(c) () -> Void) {
            let manifest = AppManifest(
                backgroundModes: [.fetch], permittedTaskIdentifiers: ["com.example.refresh"])
            SimulatedPhone.install(on: device, manifest: manifest, program: program)
        }

        private var notes: [String] {
            device.log.compactMap { event in if case .note(let text) = event.what { text } else { nil } }
        }

        // MARK: Countdowns

        @Test("a countdown that counts ticks stands still in the background, and is wrong from then on")
        func countsTicks() {
            install {
                Eyes.read()
                Programs.countdown()
            }
            device.launch()
            device.advance(by: .seconds(11))
            #expect(notes.first == "Time: 100 | Pause" && notes.last == "Time: 90 | Pause")
            device.pressHome()
            device.advance(by: .seconds(50))
            device.open()
            device.advance(by: .seconds(10))
            // After 71 seconds.
            #expect(notes.last == "Time: 80 | Pause")
        }

        @Test("a countdown that keeps its end is right after the background, and after its process")
        func keepsEnd() {
            install {
                Eyes.read()
                if UserDefaults.standard.double(forKey: "endDate") == 0 { Eyes.press("Boil", after: 2.25) }
                Programs.eggTimer()
            }
            device.launch()
            device.advance(by: .seconds(10))
            #expect(notes.first == "No egg | Boil" && notes.last == "4:53 | Cancel")
            device.pressHome()
            device.advance(by: .seconds(100))
            device.open()
            device.advance(by: .seconds(1))
            #expect(notes.last == "3:12 | Cancel")
            device.kill()
            device.advance(by: .seconds(60))
            device.launch()
            device.advance(by: .seconds(1))
            #expect(notes.last == "2:11 | Cancel")
            device.advance(by: .seconds(600))
            #expect(notes.last == "No egg | Boil")
        }

        @Test("an app may be pressed, left and opened for a month, the same for a seed, byte for byte")
        func month() throws {
            func log(seed: UInt64) throws -> String {
                try SimulatedDevice.run(seed: seed) { device in
                    SimulatedPhone.install(
                        on: device,
                        program: {
                            Eyes.read()
                            Programs.countdown()
                        })
                    for _ in 0..<30 {
                        device.open()
                        device.advance(by: .seconds(60))
                        device.pressHome()
                        device.advance(by: .seconds(86_340))
                    }
                    return device.logText
                }
            }
            let first = try log(seed: 3)
            #expect(first.contains("note: Time: 0 | Pause"))
            #expect(try log(seed: 3) == first)
        }

        // MARK: Models

        @Test("a model that saves on the way to the background has the time for it, and is there in the next process")
        func saves() {
            install {
                Eyes.read()
                Eyes.press("Add", after: 2)
                Programs.journal()
            }
            device.launch()
            device.advance(by: .seconds(5))
            #expect(notes == ["Journal | Welcome | Add | 1 saved", "Journal | Welcome | Entry 1 | Add | 1 saved"])
            device.pressHome()
            device.advance(by: .seconds(9))
            #expect(device.appPhase == .background)
            device.advance(by: .seconds(3))
            #expect(notes.last == "Journal | Welcome | Entry 1 | Add | 2 saved")
            device.advance(by: .seconds(60))
            #expect(device.appPhase == .suspended)
            device.kill()
            device.launch()
            device.advance(by: .seconds(1))
            #expect(notes.last == "Journal | Welcome | Entry 1 | Add | 2 saved")
        }

        // MARK: Refreshes

        /// How often an app is refreshed in the two days after it was used.
        private func refreshes(_ program: @escaping @convention(c) () -> Void) -> [BackgroundJobRecord.Outcome?] {
            install(program)
            device.launch()
            device.advance(by: .seconds(600))
            device.pressHome()
            device.advance(by: .seconds(2 * 86_400))
            return device.jobs.report.runs.map(\.outcome)
        }

        @Test("an app that asks for the next refresh in each one is refreshed again and again")
        func refresh() {
            let outcomes = refreshes {
                Eyes.read()
                Programs.news()
            }
            #expect(outcomes.count >= 4)
            #expect(outcomes.allSatisfy { $0 == .succeeded })
            device.open()
            device.advance(by: .seconds(1))
            #expect(notes.last == "\(10 + 10 * outcomes.count) headlines")
        }

        @Test("an app that asks for a refresh only when the user leaves it is refreshed once")
        func forgetfulRefresh() {
            #expect(refreshes { Programs.forgetfulNews() } == [.succeeded])
        }

        @Test("a refresh that takes too long is cancelled, and is complete when its action returns")
        func slowRefresh() {
            #expect(refreshes { Programs.slowNews() } == [.expired])
        }

        @Test("a refresh that does not notice its cancellation ends the app")
        func deafRefresh() {
            device.expect(.jobNotCompleted)
            _ = refreshes { Programs.deafNews() }
            #expect(device.host == nil)
        }

        @Test("an app that is started for a refresh has no window, and is refreshed all the same")
        func startedForRefresh() {
            install {
                Eyes.read()
                Programs.news()
            }
            device.launch()
            device.pressHome()
            device.kill()
            device.jobs.simulateLaunchNow("com.example.refresh")
            device.advance(by: .seconds(60))
            #expect(device.jobs.report.runs.map(\.outcome) == [.succeeded])
            #expect(device.launchCount == 2 && notes == [])
        }

        // MARK: Without a phone

        @Test("an app that is started without a phone says what to write")
        func withoutPhone() throws {
            let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            let process = Process()
            let output = Pipe()
            process.executableURL = folder.appending(path: "SwiftUITutorials")
            process.standardError = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal)
            #expect(text.contains("CountdownApp.main() runs on a simulated phone only."))
        }
    }
#endif
