package import ApusBackground
package import ApusDevice
import ApusTimers
package import Foundation

/// The phone's sound, seen from the frameworks. From any thread.
package protocol PhoneAudio: AnyObject, Sendable {
    var state: AudioState { get }
    func stateChanges() -> Changes<AudioState>
    var position: Duration { get }
    var isSessionActive: Bool { get }
    /// Called on the main loop with what happens to the audio session.
    var onSessionEvent: (@MainActor @Sendable (AudioSessionEvent) -> Void)? { get set }
    /// Called on the main loop when an item was played to its end.
    var onItemEnd: (@MainActor @Sendable (AudioItem) -> Void)? { get set }

    /// False, and nothing changes, during an interruption.
    func activateSession(_ category: AudioCategory) -> Bool
    func deactivateSession()
    func startPlaying()
    func pausePlaying()
    /// Replaces the queue; nothing plays.
    func replaceQueue(_ items: [AudioItem])
    /// Replaces what comes after the current item.
    func replaceUpcoming(_ items: [AudioItem])
    func duration(of item: AudioItem) -> Duration
    func seek(to position: Duration)
    /// Moves to the next item.
    func advance()
}

extension SimulatedAudio: PhoneAudio {}

/// The phone's location service, seen from the frameworks. From any thread.
package protocol PhoneLocation: AnyObject, Sendable {
    var authorization: LocationAuthorization { get }
    var pausesAutomatically: Bool { get set }
    /// Called on the main loop when the updates were paused.
    var onPause: (@MainActor @Sendable () -> Void)? { get set }

    /// Asks the user, and calls back once with what is allowed then. The app is inactive meanwhile.
    func askForAuthorization(
        _ wish: LocationAuthorization, _ answered: @escaping @Sendable (LocationAuthorization) -> Void)
    /// Starts updates in place of those before. `handler` is called on the main loop.
    func beginUpdates(
        inBackground: Bool, _ handler: @escaping @MainActor @Sendable (LocationUpdate) -> Void)
    func stop()
}

extension SimulatedLocation: PhoneLocation {
    package func beginUpdates(
        inBackground: Bool, _ handler: @escaping @MainActor @Sendable (LocationUpdate) -> Void
    ) {
        let words = LocationWords(
            request: "requestWhenInUseAuthorization or requestAlwaysAuthorization",
            withoutBackground: "do not set allowsBackgroundLocationUpdates")
        startUpdating(inBackground: inBackground, words: words, handler)
    }
}

/// The phone's silent pushes, seen from the frameworks. From any thread.
package protocol PhonePushes: AnyObject, Sendable {
    /// Whether the app wants pushes. It outlives the app's processes.
    var isRegistered: Bool { get set }
    /// Called on the main loop with a push.
    var onPush: (@MainActor @Sendable (SilentPush) -> Void)? { get set }
    /// The app has handled the push with that number.
    func complete(_ number: Int)
}

extension SimulatedPushes: PhonePushes {}

/// The phone's sessions with servers, seen from the frameworks. From any thread.
package protocol PhoneTransfers: AnyObject, Sendable {
    /// Called on the main loop when the app has events to handle for a session.
    var onNotice: (@MainActor @Sendable (TransferNotice) -> Void)? { get set }
    /// The app has handled the events of the notice with that number.
    func complete(_ notice: Int)
    /// The process has a session object; false if it had one already. The handler is called on the main loop.
    func open(
        _ session: String, _ settings: TransferSettings,
        _ handler: @escaping @MainActor @Sendable (TransferEvent) -> Void
    ) -> Bool
    func invalidate(_ session: String, cancelsTasks: Bool)
    func add(_ request: TransferRequest, to session: String) -> TransferRecord
    func change(_ number: Int, of session: String, _ change: TransferChange)
    /// The tasks that have not ended.
    func records(of session: String) -> [TransferRecord]
    /// Nil when the app knows that the task has ended.
    func record(_ number: Int, of session: String) -> TransferRecord?
}

extension SimulatedTransfers: PhoneTransfers {}

/// The settings of the user and the device that an app reads when it needs them.
package struct PhoneSettings: Sendable, Codable {
    /// Whether the user lets apps refresh in the background.
    package var isBackgroundRefreshOn = true
    /// Whether files of the protection class "complete" can be read.
    package var isProtectedDataAvailable = true

    init() {}

    @MainActor
    init(_ device: SimulatedDevice?) {
        guard let device else { return }
        isBackgroundRefreshOn = device.isBackgroundRefreshOn
        isProtectedDataAvailable = device.isProtectedDataAvailable
    }
}

/// The phone's background jobs, seen from the frameworks. From any thread.
package protocol PhoneJobs: AnyObject, Sendable {
    /// False when the manifest does not declare the identifier, or it is too late. The handler is called on the main
    /// loop.
    func addLaunchHandler(
        _ identifier: String, _ handler: @escaping @MainActor @Sendable (any PhoneTask) -> Void
    ) -> Bool
    func addRequest(_ request: BackgroundJobRequest) throws(BackgroundJobError)
    func cancelRequest(_ identifier: String)
    func cancelAllRequests()
    func pendingRequests() -> [BackgroundJobRequest]
    /// The run of a pending request begins with the next step of time.
    func makeDue(_ identifier: String)
    /// A run expires with the next step of time.
    func expire(_ identifier: String)
}

/// One run of a background job, seen from the frameworks. From any thread.
package protocol PhoneTask: AnyObject, Sendable {
    var request: BackgroundJobRequest { get }
    /// Called on the main loop.
    var expirationHandler: (@MainActor @Sendable () -> Void)? { get set }
    var title: String { get }
    var subtitle: String { get }
    func updateTitle(_ title: String, subtitle: String)
    func report(completed: Int64, of total: Int64)
    func setCompleted(success: Bool)
}

extension SimulatedTask: PhoneTask {}

extension SimulatedTaskScheduler: PhoneJobs {
    package func addLaunchHandler(
        _ identifier: String, _ handler: @escaping @MainActor @Sendable (any PhoneTask) -> Void
    ) -> Bool { registerLaunchHandler(identifier) { handler($0) } }

    package func addRequest(_ request: BackgroundJobRequest) throws(BackgroundJobError) { try submitRequest(request) }
}

/// The app's records in the system beside its files, by name. It outlives the app's processes. From any thread.
package protocol PhoneRecords: AnyObject, Sendable {
    subscript(name: String) -> Data? { get set }
}

/// Records in memory.
final class PhoneMemory: PhoneRecords {
    private let records = Locked<[String: Data]>([:])

    subscript(name: String) -> Data? {
        get { records.withLock { $0[name] } }
        set { records.withLock { $0[name] = newValue } }
    }
}
