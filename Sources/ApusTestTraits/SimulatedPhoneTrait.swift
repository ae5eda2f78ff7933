public import ApusDevice
import ApusTimers
public import Testing

/// Gives a test a simulated phone of its own, and verifies it afterwards.
///
/// ```swift
/// @MainActor @Test(.simulatedPhone(seed: 7)) func keepsItsBackgroundTask() throws {
///     let device = try #require(SimulatedDevice.current)
///     SimulatedPhone.install(on: device, program: { SimulatedPhone.run(AppDelegate()) })
///     device.launch()
///     device.pressHome()
///     device.advance(by: .seconds(60))
/// }
/// ```
///
/// The test finds the phone in `ApusTesting.SimulatedDevice.current`. At the end the app's process is ended; a fault that
/// was not expected, and an expected one that did not come, is an issue of the test. Tests with this trait run one after
/// the other, because the frameworks of an app in the test's own process serve one phone at a time. Each case of a
/// parameterized test has a phone of its own, with the same seed.
///
/// The trait of a suite holds for every test in it; the trait of a test or of an inner suite takes precedence.
public struct SimulatedPhoneTrait: TestTrait, SuiteTrait {
    /// Decides everything that chance decides.
    public var seed: UInt64
    /// The system's rules.
    public var policy: SystemPolicy

    /// The tests of a suite with the trait, and of the suites in it, have the trait.
    public var isRecursive: Bool { true }

    private static let turns = Turnstile()
}

extension SimulatedPhoneTrait: TestScoping {
    /// The scope of one case of a test. Called by Swift Testing.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : test.traits.lazy.compactMap { $0 as? Self }.last
    }

    /// Runs the test with a new device, and verifies that. Called by Swift Testing.
    ///
    /// - Throws: What the test throws; `ApusTesting.DeviceError`.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A second trait of the test.
        guard await SimulatedDevice.current == nil else { return try await function() }
        try await Self.turns.pass {
            try await SimulatedDevice.run(seed: seed, policy: policy) { device in
                try await SimulatedDevice.$current.withValue(device) { try await function() }
            }
        }
    }
}

extension Trait where Self == SimulatedPhoneTrait {
    /// Gives the test a simulated phone of its own, and verifies it afterwards.
    ///
    /// - Parameters:
    ///   - seed: Decides everything that chance decides.
    ///   - policy: The system's rules.
    /// - Returns: The trait.
    public static func simulatedPhone(seed: UInt64 = 0, policy: SystemPolicy = SystemPolicy()) -> Self {
        SimulatedPhoneTrait(seed: seed, policy: policy)
    }
}
