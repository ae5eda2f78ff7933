#if canImport(Runtime)
    import Runtime
#endif

/// The error for a program that uses a shared object although no app runs on a simulated phone.
enum MissingPhone {
    /// The message, which begins with the line of the program that asked, if it can be found.
    static var message: String {
        """
        \(callingPlace.map { "\($0): " } ?? "")a shared object of a simulated framework was asked for (such as \
        UIApplication.shared), but no app runs on a simulated phone. \(forms)
        """
    }

    /// The two forms of a program with a phone.
    static let forms = """
        On the main actor, write

            try SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, program: { SimulatedPhone.run(AppDelegate()) })
                device.launch()
                device.advance(by: .seconds(60))  // virtual time, in all of the app's code
            }

        or, for an app that runs in this process and waits with Timer, Task.sleep or on threads,

            try await SimulatedDevice.run { device in
                SimulatedPhone.install(on: device, delegate: AppDelegate())
                device.launch()
                await device.runInRealTime(for: .seconds(60))
            }

        with `import ApusTesting` and `import SimulatedAppleCore`, and use shared objects in the app, after the launch.
        """

    /// The innermost line outside of the simulated frameworks, as `path:line`. There is none in a build without debug
    /// information.
    private static var callingPlace: String? {
        #if canImport(Runtime)
            let frames = (try? Backtrace.capture())?.symbolicated()?.frames
            let places = frames?.lazy.compactMap { $0.symbol?.sourceLocation }
            // Neither the frameworks' own lines nor those of a macro's expansion.
            let foreign = ["/Sources/SimulatedApple/", "/@__swiftmacro"]
            return places?.first { place in place.line > 0 && !foreign.contains { place.path.contains($0) } }
                .map { "\($0.path):\($0.line)" }
        #else
            return nil
        #endif
    }
}
