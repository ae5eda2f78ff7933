public import ApusDevice
import ApusTimers
public import Testing

/// A trait that gives a test its own simulated phone, and verifies the phone afterwards.
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
/// The test finds the phone in `ApusDevice.SimulatedDevice.current`. At the end, the app's process is ended. A fault
/// that was not expected, and an expected fault that did not occur, are issues of the test. Tests with this trait run
/// one after another, because the frameworks of an app in the test's own process serve one phone at a time. Each case
/// of a parameterized test has its own phone, with the same seed.
///
/// The trait of a suite applies to every test in it; the trait of a test or of an inner suite takes precedence.
public struct SimulatedPhoneTrait: TestTrait, SuiteTrait {
    /// The seed of all random decisions.
    public var seed: UInt64
    /// The rules of the system.
    public var policy: SystemPolicy

    /// Whether the trait of a suite applies to all tests of the suite and of the suites in it; always true.
    public var isRecursive: Bool { true }

    private static let turns = Turnstile()
}

extension SimulatedPhoneTrait: TestScoping {
    /// Returns the scope of one case of a test; called by Swift Testing.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : test.traits.lazy.compactMap { $0 as? Self }.last
    }

    /// Runs the test with a new device, and verifies the device; called by Swift Testing.
    ///
    /// - Throws: The error of the test, or `ApusDevice.DeviceError`.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // The test has two traits of this type, and the outer one has provided the device.
        guard await SimulatedDevice.current == nil else { return try await function() }
        try await Self.turns.pass {
            try await SimulatedDevice.run(seed: seed, policy: policy) { device in
                try await SimulatedDevice.$current.withValue(device) { try await function() }
            }
        }
    }
}

extension Trait where Self == SimulatedPhoneTrait {
    /// Gives the test its own simulated phone, and verifies the phone afterwards.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random decisions.
    ///   - policy: The rules of the system.
    /// - Returns: The trait.
    public static func simulatedPhone(seed: UInt64 = 0, policy: SystemPolicy = SystemPolicy()) -> Self {
        SimulatedPhoneTrait(seed: seed, policy: policy)
    }
}
