#if SimulatedApple
    #if os(Linux)
        import ApusBackground
        import ApusDevice
        import ApusTestTraits
        import ApusTimers
        import Foundation
        import SimulatedAppleCore
        import SimulatedSwiftUI
        import Testing

        @testable import SwiftUITutorials

        // Shown: swiftui test
        @MainActor
        @Test("the news are refreshed in the background, repeatedly", .simulatedPhone())
        func newsInTwoDays() throws {
            let device = try #require(SimulatedDevice.current)
            let manifest = AppManifest(
                backgroundModes: [.fetch], permittedTaskIdentifiers: ["com.example.refresh"])
            SimulatedPhone.install(on: device, manifest: manifest, program: { NewsApp.main() })
            device.launch()
            device.pressHome()
            device.advance(by: .seconds(2 * 86_400))
            let refreshes = device.jobs.report.runs.count
            #expect(refreshes >= 4)
            device.open()
            device.advance(by: .seconds(1))
            #expect(try SimulatedPhone.screen(on: device) == ["\(10 + 10 * refreshes) headlines"])
        }
        // Shown: end

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

            /// Returns the texts that the user reads.
            private func screen() throws -> String {
                try SimulatedPhone.screen(on: device).joined(separator: " | ")
            }

            // MARK: Background sessions

            @Test("the background task of a session is run when its transfers have ended, in a new process too")
            func session() throws {
                install { MapsApp.main() }
                device.transfers.serve { _ in .file(bytes: 1_000, bytesPerSecond: 10) }
                device.launch()
                device.pressHome()
                device.advance(by: .seconds(50))
                device.applyMemoryPressure()
                device.advance(by: .seconds(60))
                #expect(device.launchCount == 2)
                #expect(device.logText.contains("note: finish, 0 tasks"))
                #expect(device.logText.contains("note: map 1"))
                #expect(device.host?.phase == .suspended)
            }

            // MARK: Logging

            @Test(
                "messages are lines of the device's log, and a file that imports Foundation alone has what a phone gives it"
            )
            func logged() throws {
                install { LoggedApp.main() }
                device.transfers.serve { _ in .file(bytes: 1_000, bytesPerSecond: 100) }
                device.launch()
                device.advance(by: .seconds(1))
                #expect(device.logText.contains("note: asked at 0.0 s"))
                #expect(device.logText.contains("note: [life info] phase active, 0x7"))
                #expect(!device.logText.contains("not kept"))
                device.pressHome()
                device.advance(by: .seconds(20))
                #expect(device.logText.contains("note: [life error] one of 3, 33.3 %"))
                #expect(device.notes.suffix(2) == ["left at  1", "[life] left with 0"])
                device.open()
                device.advance(by: .seconds(20))
                try #expect(screen() == "Parcels: 1")
            }

            // MARK: Prewarming

            @Test("an app that was prewarmed is made when the user opens it, and shows its screen")
            func prewarmed() throws {
                install { MapsApp.main() }
                device.prewarm()
                device.advance(by: .seconds(60))
                #expect(throws: ScreenError.self) { try screen() }
                device.open()
                try #expect(screen() == "Maps")
            }

            // MARK: Countdowns

            @Test("a countdown that counts ticks stands still in the background, and is wrong from then on")
            func countsTicks() throws {
                install { CountdownApp.main() }
                device.launch()
                try #expect(screen() == "Time: 100 | Pause")
                device.advance(by: .milliseconds(10_500))
                try #expect(screen() == "Time: 90 | Pause")
                device.pressHome()
                device.advance(by: .seconds(50))
                device.open()
                device.advance(by: .seconds(10))
                // After 70 seconds, the text has counted only the 20 seconds in the foreground.
                try #expect(screen() == "Time: 80 | Pause")
            }

            @Test("a countdown that keeps its end is right after the background, and after its process")
            func keepsEnd() throws {
                install { EggTimerApp.main() }
                device.launch()
                try #expect(screen() == "No egg | Boil")
                try SimulatedPhone.tap("Boil", on: device)
                device.advance(by: .milliseconds(7_500))
                try #expect(screen() == "4:53 | Cancel")
                device.pressHome()
                device.advance(by: .seconds(100))
                device.open()
                device.advance(by: .seconds(1))
                try #expect(screen() == "3:12 | Cancel")
                device.kill()
                device.advance(by: .seconds(60))
                device.launch()
                device.advance(by: .seconds(1))
                try #expect(screen() == "2:11 | Cancel")
                device.advance(by: .seconds(600))
                try #expect(screen() == "No egg | Boil")
            }

            @Test("an app may be left and opened for a month, the same for a seed, byte for byte")
            func month() throws {
                func month(seed: UInt64) throws -> (log: String, screen: [String]) {
                    try SimulatedDevice.run(seed: seed) { device in
                        SimulatedPhone.install(on: device, program: { CountdownApp.main() })
                        for _ in 0..<30 {
                            device.open()
                            device.advance(by: .seconds(60))
                            device.pressHome()
                            device.advance(by: .seconds(86_340))
                        }
                        device.open()
                        return (device.logText, try SimulatedPhone.screen(on: device))
                    }
                }
                let first = try month(seed: 3)
                #expect(first.screen == ["Time: 0", "Pause"])
                #expect(try month(seed: 3) == first)
            }

            @Test("a timeline is evaluated at the instants of its schedule, and no other")
            func timeline() throws {
                install { ClockApp.main() }
                device.launch()
                var texts: [String] = []
                for _ in 0..<16 {
                    try texts.append(screen())
                    device.advance(by: .seconds(1))
                }
                #expect(texts == (0..<16).map { "\($0 / 5 * 5) s" })
            }

            // MARK: Models

            @Test("a model that publishes on another thread is a warning in the log")
            func publishesElsewhere() throws {
                install { DownloadApp.main() }
                device.launch()
                try #expect(screen() == "Loading")
                device.advance(by: .seconds(10))
                // As on a phone, the timing of the threads decides whether the view shows the change, because the
                // change is announced before it is made.
                #expect(device.logText.contains("a published property of Download was changed on a thread that is not"))
            }

            @Test(
                "a model that saves on the way to the background has the time for it, and is there in the next process")
            func saves() throws {
                install { JournalApp.main() }
                device.launch()
                device.advance(by: .seconds(2))
                try SimulatedPhone.tap("Add", on: device)
                try #expect(screen() == "Journal | Welcome | Entry 1 | Add | 1 saved")
                device.pressHome()
                device.advance(by: .seconds(9))
                #expect(device.appPhase == .background)
                device.advance(by: .seconds(63))
                #expect(device.appPhase == .suspended)
                device.kill()
                device.launch()
                device.advance(by: .seconds(1))
                try #expect(screen() == "Journal | Welcome | Entry 1 | Add | 2 saved")
            }

            // MARK: Refreshes

            /// Returns the outcomes of an app's refreshes in the two days after it was used.
            private func refreshes(_ program: @escaping @convention(c) () -> Void) -> [BackgroundJobRecord.Outcome?] {
                install(program)
                device.launch()
                device.advance(by: .seconds(600))
                device.pressHome()
                device.advance(by: .seconds(2 * 86_400))
                return device.jobs.report.runs.map(\.outcome)
            }

            @Test("an app that asks for the next refresh in each one is refreshed repeatedly")
            func refresh() throws {
                let outcomes = refreshes { NewsApp.main() }
                #expect(outcomes.count >= 4)
                #expect(outcomes.allSatisfy { $0 == .succeeded })
                device.open()
                device.advance(by: .seconds(1))
                try #expect(screen() == "\(10 + 10 * outcomes.count) headlines")
            }

            @Test("an app that asks for a refresh only when the user leaves it is refreshed once")
            func forgetfulRefresh() {
                #expect(refreshes { ForgetfulNewsApp.main() } == [.succeeded])
            }

            @Test("a refresh that takes too long is cancelled, and is complete when its action returns")
            func slowRefresh() {
                #expect(refreshes { SlowNewsApp.main() } == [.expired])
            }

            @Test("a refresh that does not notice its cancellation ends the app")
            func deafRefresh() {
                device.expect(.jobNotCompleted)
                _ = refreshes { DeafNewsApp.main() }
                #expect(device.host == nil)
            }

            @Test("an app that is started for a refresh has no window, and is refreshed all the same")
            func startedForRefresh() {
                install { NewsApp.main() }
                device.launch()
                device.pressHome()
                device.kill()
                device.launchJob("com.example.refresh")
                device.advance(by: .seconds(60))
                #expect(device.jobs.report.runs.map(\.outcome) == [.succeeded])
                #expect(device.launchCount == 2)
                #expect(throws: ScreenError.notInFront(.suspended)) { try screen() }
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
#endif
