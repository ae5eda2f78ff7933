public import ApusDevice
import SimulatedAppleCore

extension SimulatedPhone {
    /// Runs an intent of the app, as the user does in Shortcuts, with Siri or in another place.
    ///
    /// An app that does not run is started in the background; `device.intents.all` has the state and the result. An
    /// intent whose parameter has no value is not run, and a warning names the parameter: a phone asks the user.
    ///
    /// ```swift
    /// SimulatedPhone.perform(LogWater(amount: 250), from: .siri, on: device)
    /// device.advance(by: .seconds(1))
    /// #expect(device.intents.all.last?.state == .finished)
    /// ```
    ///
    /// - Parameters:
    ///   - intent: The intent, with its parameters. Its type must not be generic.
    ///   - origin: The place from which the user runs the intent.
    ///   - device: The device.
    public static func perform(
        _ intent: some AppIntent, from origin: IntentOrigin = .shortcuts, on device: SimulatedDevice
    ) { device.performIntent(IntentRequest(intent), from: origin) }
}
