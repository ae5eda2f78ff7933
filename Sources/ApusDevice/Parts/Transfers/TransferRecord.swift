package import ApusTimers

/// What a background session says to the system about itself.
package struct TransferSettings: Sendable, Hashable, Codable {
    /// Whether the system chooses a good time.
    package var isDiscretionary = false
    /// Whether the app is started or resumed when all tasks have ended.
    package var sendsLaunchEvents = true
    /// Whether a connection that costs may be used.
    package var allowsConstrainedNetwork = true
    /// How long a task may take from its first resumption, in nanoseconds.
    package var limit: UInt64 = 604_800_000_000_000

    package init() {}
}

/// One task of a background session, as the system keeps it.
package struct TransferRecord: Sendable, Hashable, Codable {
    package enum State: Int, Sendable, Hashable, Codable {
        case running, suspended, canceling, completed
    }

    /// Counts the tasks of the session.
    package let number: Int
    package let request: TransferRequest
    package var state = State.suspended
    /// What the app has written on it.
    package var note: String?
    package var earliestBegin: WallInstant?
    package var sent: Int64 = 0
    package var received: Int64 = 0
    /// Nil before the server has answered.
    package var expectedToReceive: Int64?
    package var status: Int?
    package var failure: TransferFailure?
    /// Whether it was cancelled because the user has force-quit the app.
    package var isForceQuit = false

    init(_ number: Int, _ request: TransferRequest) { (self.number, self.request) = (number, request) }
}

/// What the app does with a task.
package enum TransferChange: Sendable, Hashable, Codable {
    case resume, suspend, cancel
    case note(String?)
    case earliestBegin(WallInstant?)
}

/// The events of a background session, in order.
package enum TransferEvent: Sendable, Hashable, Codable {
    /// So many bytes more were transferred.
    case progress(TransferRecord, Int64)
    /// The file is there: these bytes, or as many zeros.
    case downloaded(TransferRecord, [UInt8]?)
    /// The task has ended.
    case completed(TransferRecord)
    /// That was all for which the app was started or resumed.
    case finished
    /// The session can be used no more.
    case invalidated
}

/// The app has events to handle for a session.
package struct TransferNotice: Sendable, Hashable, Codable {
    /// Counts the notices of a device.
    package let number: Int
    /// The identifier of the session.
    package let session: String
}
