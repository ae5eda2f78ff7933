/// What the device says to a process of an app, a line of JSON each.
enum DeviceMessage: Codable, Equatable {
    /// The clocks stand there now; what is due is to run, and then ``AppMessage/idle(next:)`` to be said.
    case run(AppReadings, isScrolling: Bool)
    /// The answer to a call.
    case reply(call: Int, AppReply)
}

/// What a process of an app says to the device.
enum AppMessage: Codable, Equatable {
    /// Nothing can run before that many nanoseconds have passed; nil when nothing waits for an instant.
    case idle(next: UInt64?)
    /// Asks for something; the thread that asks waits for the reply.
    case call(Int, AppCall)
}

/// The clocks of a process, in nanoseconds.
struct AppReadings: Codable, Equatable {
    var uptime, continuous, wall: Int64
}

/// What an app asks the device for.
enum AppCall: Codable, Equatable {
    case note(String)
}

/// What the device answers.
enum AppReply: Codable, Equatable {
    case done
}
