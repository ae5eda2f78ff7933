#if os(Linux)
    import ApusTesting
    import Foundation
    import SimulatedAppleCore
    import UIKit

    /// Runs the scenarios on the simulated phone, with the user that the app's screen asks for.
    enum Simulation {
        /// The simulated phone ended the app, or the app printed no recording.
        struct NoRecording: Error, CustomStringConvertible {
            let log: String

            var description: String { "the app made no recording on the simulated phone:\n\(log)" }
        }

        /// Returns the recording of the simulated phone.
        ///
        /// - Throws: ``NoRecording``, and the errors of reading the manifest.
        @MainActor
        static func recording() throws -> Recording {
            try SimulatedDevice.run { try recording(on: $0) }
        }

        /// Returns the recording of a simulated phone, on which the app is installed.
        ///
        /// The user goes to the Home Screen after the time `leaving`; the app asks for it after 5 s.
        ///
        /// - Throws: ``NoRecording``, and the errors of reading the manifest.
        @MainActor
        static func recording(
            on device: SimulatedDevice, leavingAfter leaving: Duration = .milliseconds(10_300)
        ) throws -> Recording {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let manifest = try AppManifest(infoPlist: folder.appending(path: "Info.plist"))
            SimulatedPhone.install(
                on: device, manifest: manifest,
                program: { SimulatedPhone.run(CalibrationDelegate(), sceneDelegate: { CalibrationScene() }) })
            // The app prints its recording, and the command's own output is for a file too.
            device.showsOutput = false
            device.launch()
            device.advance(by: leaving)
            device.pressHome()
            device.advance(by: .seconds(120))
            device.open()
            device.advance(by: .seconds(10))
            guard let line = device.output.last(where: { $0.hasPrefix("{") }) else {
                throw NoRecording(log: device.logText)
            }
            return try JSONDecoder().decode(Recording.self, from: Data(line.utf8))
        }
    }
#endif
