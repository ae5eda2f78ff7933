public import ApusTesting
public import ApusTimers
public import Testing
public struct VirtualClockTrait: TestTrait, SuiteTrait, TestScoping {
    let mode: ProcessClock.Mode
    public var isRecursive: Bool { true }
    public func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        if !ProcessClock.isVirtual { try ProcessClock.begin(mode) }
        try await function()
    }
}
extension Trait where Self == VirtualClockTrait {
    public static var virtualClock: Self { VirtualClockTrait(mode: .automatic) }
    public static func virtualClock(_ mode: ProcessClock.Mode = .automatic, wall: WallInstant = WallInstant(secondsSince1970: 1_767_225_600), limit: Duration = .seconds(60)) -> Self { VirtualClockTrait(mode: mode) }
}
