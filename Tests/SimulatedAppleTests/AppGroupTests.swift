#if os(Linux)
    import ApusBackground
    import ApusDevice
    import Foundation
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// Locks a file at its launch.
    private final class Locker: Recorder {
        enum Kind { case whole, range, shared, home, covered }

        static let group = "group.com.example.notes"

        private let kind: Kind
        private var file: Int32 = -1

        init(_ kind: Kind) { self.kind = kind }

        override func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: Self.group)
            let folder = kind == .home ? NSHomeDirectory() : container?.path(percentEncoded: false) ?? ""
            file = open(folder + "/data", O_RDWR | O_CREAT, 0o600)
            precondition(file >= 0, "\(folder)/data cannot be opened")
            switch kind {
            case .whole, .home, .covered: precondition(flock(file, LOCK_EX) == 0)
            case .shared: precondition(flock(file, LOCK_SH) == 0)
            case .range:
                var range = flock()
                (range.l_type, range.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
                (range.l_start, range.l_len) = (100, 1)
                precondition(fcntl(file, F_SETLK, &range) == 0)
            }
            return true
        }

        override func applicationDidEnterBackground(_ application: UIApplication) {
            guard kind == .covered else { return }
            let claim = application.beginBackgroundTask {}
            DispatchQueue.main.asyncAfter(deadline: .now() + 5) { [file] in
                _ = flock(file, LOCK_UN)
                application.endBackgroundTask(claim)
            }
        }
    }

    /// Writes a file into the group's container, and notes what an earlier process has left in that file.
    ///
    /// It also notes whether the container is below the app's home, and whether it gets the container of another group.
    private final class GroupWriter: UIResponder, UIApplicationDelegate {
        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            let files = FileManager.default
            SimulatedPhone.note(
                "other \(files.containerURL(forSecurityApplicationGroupIdentifier: "group.other") == nil)")
            guard let folder = files.containerURL(forSecurityApplicationGroupIdentifier: Locker.group) else {
                return false
            }
            let file = folder.appending(path: "count")
            SimulatedPhone.note((try? String(contentsOf: file, encoding: .utf8)) ?? "nothing")
            SimulatedPhone.note("below home \(folder.path(percentEncoded: false).hasPrefix(NSHomeDirectory()))")
            do { try "1".write(to: file, atomically: true, encoding: .utf8) } catch { SimulatedPhone.note("\(error)") }
            return true
        }
    }

    extension SimulatedAppleTests {
        @MainActor
        @Suite("App groups")
        struct AppGroupTests {
            private let manifest = AppManifest(usesScenes: false, appGroups: [Locker.group])

            /// The source is Apple, documentation/xcode/sigkill, for the code 0xdead10cc and its remedy, a background
            /// task that covers the lock.
            @Test(
                "an app that holds a lock on a file of its group when it is suspended is ended; one that unlocks is not"
            )
            func lock() throws {
                let held: [(program: @convention(c) () -> Void, isHeld: Bool)] = [
                    ({ SimulatedPhone.run(Locker(.whole)) }, true), ({ SimulatedPhone.run(Locker(.range)) }, true),
                    ({ SimulatedPhone.run(Locker(.shared)) }, true), ({ SimulatedPhone.run(Locker(.home)) }, false),
                    ({ SimulatedPhone.run(Locker(.covered)) }, false),
                ]
                for (program, isHeld) in held {
                    for isRule in [true, false] {
                        var policy = SystemPolicy()
                        policy.endsAppForFileLocks = isRule
                        try SimulatedDevice.run(policy: policy) { device in
                            if isHeld, isRule { device.expect(.fileLockHeld) }
                            SimulatedPhone.install(on: device, manifest: manifest, program: program)
                            device.launch()
                            device.advance(by: .seconds(60))
                            #expect(device.appPhase == .active, "in front it may lock")
                            device.pressHome()
                            device.advance(by: .seconds(60))
                            #expect((device.host == nil) == (isHeld && isRule))
                            let end = "terminated: 0xdead10cc file lock: group.com.example.notes/data"
                            #expect(device.logText.contains(end) == (isHeld && isRule))
                        }
                    }
                }
            }

            @Test(
                "a group's folder outlives the app's processes, is not below the home, and is there for declared groups only"
            )
            func container() throws {
                let notes = ["other true", "nothing", "below home false", "other true", "1", "below home false"]
                for isOwn in [true, false] {
                    try SimulatedDevice.run { device in
                        if isOwn {
                            SimulatedPhone.install(
                                on: device, manifest: manifest, program: { SimulatedPhone.run(GroupWriter()) })
                        } else {
                            SimulatedPhone.install(on: device, manifest: manifest, delegate: GroupWriter())
                        }
                        device.launch()
                        device.swipeAway()
                        device.launch()
                        #expect(device.notes == notes)
                    }
                }
            }
        }
    }
#endif
