#if os(Linux)
    import ApusDevice
    import ApusTestTraits
    import BackgroundTasks
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// Prints in its launch, in a timer, and on the way to the background.
    private final class PrintingDelegate: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            print("launched")
            SimulatedPhone.note("noted")
            print("a line that ", terminator: "")
            print("is printed in two parts")
            _ = Timer.scheduledTimer(withTimeInterval: 1.5, repeats: true) { _ in print("tick") }
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) {
            FileHandle.standardError.write(Data("to the background\n".utf8))
        }
    }

    /// The ways in which an app's process ends by itself.
    private enum Mistake: String, CaseIterable {
        case inTimer, inDelegate, inObserver, inLaunchHandler, onOtherThread, exits
    }

    /// Makes the mistake that is given.
    private final class MistakenDelegate: UIResponder, UIApplicationDelegate {
        private let mistake: Mistake
        private var empty: [Int] = []

        init(_ mistake: Mistake) { self.mistake = mistake }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            print("ready")
            switch mistake {
            case .inTimer:
                _ = Timer.scheduledTimer(withTimeInterval: 2, repeats: false) { _ in abort() }
            case .inObserver:
                _ = NotificationCenter.default.addObserver(
                    forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: .main
                ) { _ in fatalError("observed") }
            case .inLaunchHandler:
                // The closure is isolated to the main actor, but is called on another thread.
                BGTaskScheduler.shared.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                    self.refresh(task)
                }
            case .onOtherThread:
                DispatchQueue(label: "com.example.worker").asyncAfter(deadline: .now() + 2) { preconditionFailure() }
            case .exits:
                _ = Timer.scheduledTimer(withTimeInterval: 2, repeats: false) { _ in
                    print("no newline", terminator: "")
                    exit(3)
                }
            case .inDelegate: break
            }
            return true
        }

        func applicationDidEnterBackground(_ application: UIApplication) {
            if mistake == .inDelegate { print(empty[3]) }
            guard mistake == .inLaunchHandler else { return }
            try? BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
        }

        private func refresh(_ task: BGTask) { task.setTaskCompleted(success: true) }
    }

    @MainActor
    @Suite("The output of an app", .simulatedPhone())
    struct AppOutputTests {
        @Test("what an app prints is in the log, in order, at its instant")
        func order() throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(on: device, program: { SimulatedPhone.run(PrintingDelegate()) })
            device.launch()
            device.advance(by: .seconds(4))
            device.pressHome()
            let lines = device.log.compactMap { event -> String? in
                switch event.what {
                case .note, .printed: "\(event.elapsed.milliseconds) \(event.what)"
                default: nil
                }
            }
            #expect(
                lines == [
                    "0 prints: launched", "0 note: noted", "0 prints: a line that is printed in two parts",
                    "1500 prints: tick", "3000 prints: tick", "4000 prints: to the background",
                ])
            #expect(device.output.count == 5)
        }

        private static let programs: [Mistake: @convention(c) () -> Void] = [
            .inTimer: { SimulatedPhone.run(MistakenDelegate(.inTimer)) },
            .inDelegate: { SimulatedPhone.run(MistakenDelegate(.inDelegate)) },
            .inObserver: { SimulatedPhone.run(MistakenDelegate(.inObserver)) },
            .inLaunchHandler: { SimulatedPhone.run(MistakenDelegate(.inLaunchHandler)) },
            .onOtherThread: { SimulatedPhone.run(MistakenDelegate(.onOtherThread)) },
            .exits: { SimulatedPhone.run(MistakenDelegate(.exits)) },
        ]

        private func fault(_ mistake: Mistake) throws -> Fault {
            let device = try #require(SimulatedDevice.current)
            device.expect(.appProcessCrash)
            let manifest = AppManifest(
                backgroundModes: [.fetch], permittedTaskIdentifiers: ["refresh"], usesScenes: false)
            SimulatedPhone.install(on: device, manifest: manifest, program: try #require(Self.programs[mistake]))
            device.launch()
            device.advance(by: .seconds(3))
            device.pressHome()
            device.launchJob("refresh")
            device.advance(by: .seconds(1))
            return try #require(device.faults.first)
        }

        @Test("a crash names the signal, the call, the thread, the last lines of the output and the place")
        func crash() throws {
            let fault = try fault(.inDelegate)
            #expect(
                fault.message.hasPrefix(
                    "the app's process was ended by signal 4 (Illegal instruction) in "
                        + "applicationDidEnterBackground(_:), on the main thread; its output ends with “ready”"),
                "\(fault)")
            // With optimization, the standard library traps without a message.
            #expect(fault.message.contains("Index out of range") == _isDebugAssertConfiguration(), "\(fault)")
            #expect(fault.place?.hasPrefix("SimulatedAppleTests/AppOutputTests.swift:") == true, "\(fault)")
        }

        @Test("a crash in an observer names the notification")
        func observer() throws {
            let fault = try fault(.inObserver)
            #expect(
                fault.message.contains(
                    "in an observer of UIApplicationDidEnterBackgroundNotification, on the main thread"), "\(fault)")
            #expect(fault.message.contains("Fatal error: observed"), "\(fault)")
        }

        @Test("a crash of code that no framework has called names the thread only")
        func ownCode() throws {
            let timer = try fault(.inTimer)
            #expect(timer.message.contains("signal 6 (Aborted) on the main thread; "), "\(timer)")
        }

        @Test("the same crash again has the same fault")
        func again() throws { #expect(try fault(.inDelegate) == fault(.inDelegate)) }

        @Test("a crash on another thread names its queue")
        func queue() throws {
            let fault = try fault(.onOtherThread)
            #expect(
                fault.message.contains("(Illegal instruction) on a thread of the queue “com.example.worker”"),
                "\(fault)")
        }

        @Test("code of the main actor that is called on another thread is explained")
        func wrongExecutor() throws {
            let fault = try fault(.inLaunchHandler)
            #expect(
                fault.message.contains(
                    "in the launch handler of refresh, on a thread of the queue “com.apple.BGTaskScheduler (refresh)”; "
                        + "code of an actor ran on a thread that is not the actor's"), "\(fault)")
            #expect(fault.message.contains("mark it @Sendable"), "\(fault)")
        }

        @Test("an app that exits has said its last words, also without the end of the line")
        func exits() throws {
            let fault = try fault(.exits)
            #expect(
                fault.message
                    == "the app's process exited with status 3; its output ends with “ready”, “no newline”")
        }
    }

    extension Duration {
        fileprivate var milliseconds: Int64 {
            components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        }
    }
#endif
