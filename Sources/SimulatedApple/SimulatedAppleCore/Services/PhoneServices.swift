package import ApusBackground
package import ApusDevice
import ApusTimers
package import Foundation

/// The phone's audio, as the frameworks use it on any thread.
package protocol PhoneAudio: AnyObject, Sendable {
    func state(of player: Int) -> AudioState
    /// Returns a new sequence of the states of all players, by their numbers.
    func playerStates() -> Changes<[Int: AudioState]>
    func position(of player: Int) -> Duration
    var isSessionActive: Bool { get }
    /// Called on the main loop with events of the audio session.
    var onSessionEvent: (@MainActor @Sendable (AudioSessionEvent) -> Void)? { get set }
    /// Called on the main loop when an item was played to its end.
    var onItemEnd: (@MainActor @Sendable (_ player: Int, AudioItem) -> Void)? { get set }

    /// Activates the session; during an interruption it returns `false` and changes nothing.
    func activateSession(_ category: AudioCategory) -> Bool
    func deactivateSession()
    func startPlaying(_ player: Int)
    func pausePlaying(_ player: Int)
    /// Replaces the queue and stops playing.
    func replaceQueue(_ items: [AudioItem], of player: Int)
    /// Replaces the items after the current one.
    func replaceUpcoming(_ items: [AudioItem], of player: Int)
    /// Stops playing, and removes the queue.
    func release(_ player: Int)
    func duration(of item: AudioItem) -> Duration
    func seek(to position: Duration, of player: Int)
    /// Moves to the next item.
    func advance(_ player: Int)
    /// Records whether a voice of the app is speaking.
    func setVoice(_ number: Int, speaks: Bool)
}

extension SimulatedAudio: PhoneAudio {}

/// The phone's location service, as the frameworks use it on any thread.
package protocol PhoneLocation: AnyObject, Sendable {
    var authorization: LocationAuthorization { get }

    /// Asks the user for authorization, and calls back once with the result; the app is inactive meanwhile.
    func askForAuthorization(
        _ wish: LocationAuthorization, _ answered: @escaping @Sendable (LocationAuthorization) -> Void)
    /// Starts the updates of a manager, which replace its earlier ones; `handler` is called on the main loop.
    func beginUpdates(
        _ manager: Int, _ settings: LocationSettings, _ handler: @escaping @MainActor @Sendable (LocationReport) -> Void
    )
    /// Changes the settings of a manager's updates, if it has any.
    func change(_ manager: Int, _ settings: LocationSettings)
    func stop(_ manager: Int)
}

extension SimulatedLocation: PhoneLocation {
    package func beginUpdates(
        _ manager: Int, _ settings: LocationSettings, _ handler: @escaping @MainActor @Sendable (LocationReport) -> Void
    ) {
        let words = LocationWords(
            request: "requestWhenInUseAuthorization or requestAlwaysAuthorization",
            withoutBackground: "do not set allowsBackgroundLocationUpdates")
        startUpdating(settings, of: manager, words: words, handler)
    }
}

/// The phone's silent pushes, as the frameworks use them on any thread.
package protocol PhonePushes: AnyObject, Sendable {
    /// Whether the app is registered for pushes; the registration outlives the app's processes.
    var isRegistered: Bool { get set }
    /// Called on the main loop with each push.
    var onPush: (@MainActor @Sendable (SilentPush) -> Void)? { get set }
    /// Reports that the app has handled the push with this number.
    func complete(_ number: Int)
}

extension SimulatedPushes: PhonePushes {}

/// The phone's URL sessions, as the frameworks use them on any thread.
package protocol PhoneTransfers: AnyObject, Sendable {
    /// Called on the main loop when events of a background session are to be handled.
    var onNotice: (@MainActor @Sendable (TransferNotice) -> Void)? { get set }
    /// Reports that the app has handled the events of the notice with this number.
    func complete(_ notice: Int)
    /// Opens a session for the process; returns `false` if the process has already opened it.
    ///
    /// The handler is called on the main loop.
    func open(
        _ session: String, _ settings: TransferSettings,
        _ handler: @escaping @MainActor @Sendable (TransferEvent) -> Void
    ) -> Bool
    func invalidate(_ session: String, cancelsTasks: Bool)
    func add(_ request: TransferRequest, to session: String) -> TransferRecord
    func change(_ number: Int, of session: String, _ change: TransferChange)
    /// Returns the tasks that have not ended.
    func records(of session: String) -> [TransferRecord]
    /// Returns a task; `nil` if the app has been notified of its end.
    func record(_ number: Int, of session: String) -> TransferRecord?
}

extension SimulatedTransfers: PhoneTransfers {}

/// The settings of the user and the device that an app reads when it needs them.
package struct PhoneSettings: Sendable, Codable {
    /// Whether the user allows apps to refresh in the background.
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

/// The phone's background jobs, as the frameworks use them on any thread.
package protocol PhoneJobs: AnyObject, Sendable {
    /// Registers a launch handler, which is called on the main loop.
    ///
    /// Returns `false` if the manifest does not declare the identifier, or the app's launch is over.
    func addLaunchHandler(
        _ identifier: String, _ handler: @escaping @MainActor @Sendable (any PhoneTask) -> Void
    ) -> Bool
    func addRequest(_ request: BackgroundJobRequest) throws(BackgroundJobError)
    func cancelRequest(_ identifier: String)
    func cancelAllRequests()
    func pendingRequests() -> [BackgroundJobRequest]
    /// Makes a pending request due with the next step of time.
    func makeDue(_ identifier: String)
    /// Makes a run expire with the next step of time.
    func expire(_ identifier: String)
}

/// One run of a background job, as the frameworks use it on any thread.
package protocol PhoneTask: AnyObject, Sendable {
    var request: BackgroundJobRequest { get }
    /// The handler that is called on the main loop when the run expires.
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

/// The records that the system keeps for the app outside of the app's files, by name.
///
/// The records outlive the app's processes, and can be used on any thread.
package protocol PhoneRecords: AnyObject, Sendable {
    subscript(name: String) -> Data? { get set }
}

/// The app's records, in the test's memory.
final class PhoneMemory: PhoneRecords {
    private let records = Locked<[String: Data]>([:])

    subscript(name: String) -> Data? {
        get { records.withLock { $0[name] } }
        set { records.withLock { $0[name] = newValue } }
    }
}
