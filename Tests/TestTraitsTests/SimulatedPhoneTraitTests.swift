import ApusDevice
import ApusTestTraits
import ApusTimers
import Testing

@MainActor
@Suite("@Test(.simulatedPhone)", .simulatedPhone(seed: 1))
struct SimulatedPhoneTraitTests {
    @Test("a test has a device with the seed of the trait that is nearest to it", .simulatedPhone(seed: 7))
    func seed() throws {
        let device = try #require(SimulatedDevice.current)
        #expect(device.seed == 7)
        device.install { _ in App() }
        device.launch()
        device.advance(by: .seconds(86_400))
        #expect(device.app is App)
    }

    @Test("the trait of a suite holds for its tests, and each case has a device of its own", arguments: [1, 2])
    func suite(_ number: Int) async throws {
        let device = try #require(SimulatedDevice.current)
        #expect(device.seed == 1 && device.log.isEmpty)
        device.install { _ in App() }
        await device.advance(by: .seconds(1))
    }

    private final class App {}
}

@Suite("Verification by @Test(.simulatedPhone)")
struct SimulatedPhoneVerificationTests {
    @Test("a fault that the test expected and that did not come is thrown at its end")
    func verification() async throws {
        let test = try #require(Test.current)
        let error = await #expect(throws: DeviceError.self) {
            try await SimulatedPhoneTrait.simulatedPhone(seed: 3).provideScope(for: test, testCase: Test.Case.current) {
                await SimulatedDevice.current?.expect(.backgroundTaskNotEnded)
            }
        }
        #expect(error?.missingFaults == [.backgroundTaskNotEnded] && error?.seed == 3)
    }
}
