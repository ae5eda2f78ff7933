import ApusDevice
import CProcessClock

/// Positions in the program, which are the same in the test's process and in the app's own process.
package enum ProgramCode {
    /// A function without parameters and result.
    package typealias Function = @convention(c) () -> Void

    private static let anchor: Function = {}

    /// Returns the position of a function of the program; 0 if the system or the program does not allow it.
    package static func position(of function: Function) -> UInt64 { process_clock_offset(function) }

    /// Returns the function at a position in the program.
    package static func function(at position: UInt64) -> Function {
        unsafeBitCast(address(position), to: Function.self)
    }

    /// Returns the position of a type's metadata in the program; 0 for a generic type, which has none there.
    ///
    /// The metadata must be complete without a call of its accessor, as it is unless a stored property has a resilient
    /// type of another library.
    package static func position(of type: Any.Type) -> UInt64 {
        process_clock_offset(unsafeBitCast(type, to: Function.self))
    }

    /// Returns the type whose metadata is at a position in the program.
    package static func type(at position: UInt64) -> Any.Type { unsafeBitCast(address(position), to: Any.Type.self) }

    private static func address(_ position: UInt64) -> UInt {
        UInt(bitPattern: unsafeBitCast(anchor, to: Int.self)) - UInt(process_clock_offset(anchor)) + UInt(position)
    }

    /// Connects the module AppIntents with a process of the app, as soon as the device has an intent for it.
    ///
    /// An app whose intents nothing runs has no code of that module, so it must not be named here.
    static func connectIntents(with host: any PhoneHost) {
        host.observe(SimulatedIntents.self) { event in
            if case .connect(let entry) = event { function(at: entry)() }
        }
    }
}
