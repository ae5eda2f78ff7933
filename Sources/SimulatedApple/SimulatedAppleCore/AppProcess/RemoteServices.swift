import ApusBackground
import ApusDevice
import ApusTimers
import Foundation

/// The phone's audio, as used from an app's own process.
final class RemoteAudio: PhoneAudio {
    private struct Handlers {
        var onSessionEvent: (@MainActor @Sendable (AudioSessionEvent) -> Void)?
        var onItemEnd: (@MainActor @Sendable (_ player: Int, AudioItem) -> Void)?
        /// The states of the players that this process has used.
        var states: [Int: AudioState] = [:]
    }

    private let link: AppLink
    private let handlers = Locked(Handlers())
    private let changes = Broadcast<[Int: AudioState]>([:])

    init(_ link: AppLink) { self.link = link }

    var onSessionEvent: (@MainActor @Sendable (AudioSessionEvent) -> Void)? {
        get { handlers.withLock { $0.onSessionEvent } }
        set { handlers.exchange(\.onSessionEvent, with: newValue) }
    }

    var onItemEnd: (@MainActor @Sendable (_ player: Int, AudioItem) -> Void)? {
        get { handlers.withLock { $0.onItemEnd } }
        set { handlers.exchange(\.onItemEnd, with: newValue) }
    }

    func state(of player: Int) -> AudioState { link.ask(.audio(.state(player: player)), for: AudioState.self) }
    func playerStates() -> Changes<[Int: AudioState]> { changes.changes() }
    func position(of player: Int) -> Duration {
        .nanoseconds(link.ask(.audio(.position(player: player)), for: Int64.self))
    }
    var isSessionActive: Bool { link.ask(.audio(.isSessionActive), for: Bool.self) }

    func activateSession(_ category: AudioCategory) -> Bool {
        link.ask(.audio(.activate(category)), for: Bool.self)
    }

    func duration(of item: AudioItem) -> Duration {
        .nanoseconds(link.ask(.audio(.duration(item)), for: Int64.self))
    }

    func deactivateSession() {
        link.perform(.audio(.deactivate))
        readStates()
    }

    func startPlaying(_ player: Int) { change(player, .play(player: player)) }
    func pausePlaying(_ player: Int) { change(player, .pause(player: player)) }
    func replaceQueue(_ items: [AudioItem], of player: Int) { change(player, .replaceQueue(items, player: player)) }
    func replaceUpcoming(_ items: [AudioItem], of player: Int) {
        change(player, .replaceUpcoming(items, player: player))
    }
    func seek(to position: Duration, of player: Int) {
        change(player, .seek(position.wholeNanoseconds, player: player))
    }
    func advance(_ player: Int) { change(player, .advance(player: player)) }
    func release(_ player: Int) {
        link.perform(.audio(.release(player: player)))
        changes.set(
            handlers.withLock { handlers in
                handlers.states[player] = nil
                return handlers.states
            })
    }
    func setVoice(_ number: Int, speaks: Bool) { link.perform(.audio(.setVoice(number, speaks: speaks))) }

    private func change(_ player: Int, _ call: AudioCall) {
        link.perform(.audio(call))
        let state = state(of: player)
        changes.set(
            handlers.withLock { handlers in
                handlers.states[player] = state
                return handlers.states
            })
    }

    /// Reads the states of all players, which the device has changed.
    private func readStates() {
        for player in handlers.withLock({ $0.states.keys.sorted() }) {
            let state = state(of: player)
            handlers.withLock { $0.states[player] = state }
        }
        changes.set(handlers.withLock { $0.states })
    }

    @MainActor
    func handle(_ event: AppEvent) {
        readStates()
        switch event {
        case .audioSession(let event): onSessionEvent?(event)
        case .audioItemEnded(let player, let item): onItemEnd?(player, item)
        default: break
        }
    }
}

/// The phone's location service, as used from an app's own process.
final class RemoteLocation: PhoneLocation {
    private struct State {
        /// The handlers of the managers that have updates, by the managers' numbers.
        var handlers: [Int: (start: Int, call: @MainActor @Sendable (LocationReport) -> Void)] = [:]
        /// The number of the last start.
        ///
        /// Reports of earlier updates of the same manager may still be on their way.
        var lastStart = 0
    }

    private let link: AppLink
    private let state = Locked(State())
    private let questions = Questions<LocationAuthorization>()

    init(_ link: AppLink) { self.link = link }

    var authorization: LocationAuthorization {
        link.ask(.location(.authorization), for: LocationAuthorization.self)
    }

    func askForAuthorization(
        _ wish: LocationAuthorization, _ answered: @escaping @Sendable (LocationAuthorization) -> Void
    ) { link.perform(.location(.ask(questions.add(answered), wish))) }

    func beginUpdates(
        _ manager: Int, _ settings: LocationSettings, _ handler: @escaping @MainActor @Sendable (LocationReport) -> Void
    ) {
        let (start, former) = state.withLock { state in
            state.lastStart += 1
            return (
                state.lastStart,
                state.handlers.updateValue((start: state.lastStart, call: handler), forKey: manager)
            )
        }
        // The former handler is released outside of the lock.
        withExtendedLifetime(former) { link.perform(.location(.begin(manager: manager, start: start, settings))) }
    }

    func change(_ manager: Int, _ settings: LocationSettings) {
        link.perform(.location(.change(manager: manager, settings)))
    }

    func stop(_ manager: Int) {
        let former = state.withLock { $0.handlers.removeValue(forKey: manager) }
        withExtendedLifetime(former) { link.perform(.location(.stop(manager: manager))) }
    }

    @MainActor
    func handle(_ event: AppEvent) {
        switch event {
        case .location(let manager, let start, let report):
            let handler = state.withLock { $0.handlers[manager] }
            if let handler, handler.start == start { handler.call(report) }
        case .locationAuthorization(let number, let answer): questions.answer(number, answer)
        default: break
        }
    }
}

/// The phone's silent pushes, as used from an app's own process.
final class RemotePushes: PhonePushes {
    private let link: AppLink
    private let handler = Locked<(@MainActor @Sendable (SilentPush) -> Void)?>(nil)

    init(_ link: AppLink) { self.link = link }

    var isRegistered: Bool {
        get { link.ask(.pushes(.isRegistered), for: Bool.self) }
        set { link.perform(.pushes(.setRegistered(newValue))) }
    }

    var onPush: (@MainActor @Sendable (SilentPush) -> Void)? {
        get { handler.withLock { $0 } }
        set { handler.exchange(\.self, with: newValue) }
    }

    func complete(_ number: Int) { link.perform(.pushes(.complete(number))) }
}

/// The phone's notification center, as used from an app's own process.
final class RemoteNotifications: PhoneNotifications {
    private struct Handlers {
        var onDelivery: (@MainActor @Sendable (DeliveredNotification) -> Void)?
        var onOpen: (@MainActor @Sendable (DeliveredNotification) -> Void)?
    }

    private let link: AppLink
    private let handlers = Locked(Handlers())
    private let questions = Questions<NotificationAuthorization>()

    init(_ link: AppLink) { self.link = link }

    var onDelivery: (@MainActor @Sendable (DeliveredNotification) -> Void)? {
        get { handlers.withLock { $0.onDelivery } }
        set {
            handlers.exchange(\.onDelivery, with: newValue)
            link.perform(.notifications(.setDecides(newValue != nil)))
        }
    }

    var onOpen: (@MainActor @Sendable (DeliveredNotification) -> Void)? {
        get { handlers.withLock { $0.onOpen } }
        set { handlers.exchange(\.onOpen, with: newValue) }
    }

    var authorization: NotificationAuthorization {
        link.ask(.notifications(.authorization), for: NotificationAuthorization.self)
    }
    var pending: [PhoneNotification] { link.ask(.notifications(.pending), for: [PhoneNotification].self) }
    var delivered: [DeliveredNotification] { link.ask(.notifications(.delivered), for: [DeliveredNotification].self) }

    var badge: Int { link.ask(.notifications(.badge), for: Int.self) }
    var allowsBadge: Bool? { link.ask(.notifications(.allowsBadge), for: Bool?.self) }

    func askForAuthorization(
        provisional: Bool, badge: Bool, _ answered: @escaping @Sendable (NotificationAuthorization) -> Void
    ) { link.perform(.notifications(.ask(questions.add(answered), provisional: provisional, badge: badge))) }
    func setBadge(_ number: Int) { link.perform(.notifications(.setBadge(number))) }
    func add(_ notification: PhoneNotification) { link.perform(.notifications(.add(notification))) }
    func removePending(_ identifiers: [String]) { link.perform(.notifications(.removePending(identifiers))) }
    func removeDelivered(_ identifiers: [String]) { link.perform(.notifications(.removeDelivered(identifiers))) }
    func show(_ notification: PhoneNotification) { link.perform(.notifications(.show(notification))) }

    @MainActor
    func handle(_ event: AppEvent) {
        switch event {
        case .notificationComes(let delivered): onDelivery?(delivered)
        case .notificationOpened(let delivered): onOpen?(delivered)
        case .notificationAuthorization(let number, let answer): questions.answer(number, answer)
        default: break
        }
    }
}

/// The questions that the user has not answered yet, by number.
private final class Questions<Answer>: Sendable {
    private struct State {
        var last = 0
        var open: [Int: @Sendable (Answer) -> Void] = [:]
    }

    private let state = Locked(State())

    /// Stores the handler of an answer, and returns the number of the question.
    func add(_ answered: @escaping @Sendable (Answer) -> Void) -> Int {
        state.withLock { state in
            state.last += 1
            state.open[state.last] = answered
            return state.last
        }
    }

    func answer(_ number: Int, _ answer: Answer) { state.withLock { $0.open.removeValue(forKey: number) }?(answer) }
}

/// The app's records in the system, as used from an app's own process.
final class RemoteRecords: PhoneRecords {
    private let link: AppLink

    init(_ link: AppLink) { self.link = link }

    subscript(name: String) -> Data? {
        get { link.ask(.record(name), for: Data?.self) }
        set { link.perform(.keepRecord(name, newValue)) }
    }
}

/// The phone's URL sessions, as used from an app's own process.
final class RemoteTransfers: PhoneTransfers {
    private struct State {
        var onNotice: (@MainActor @Sendable (TransferNotice) -> Void)?
        var handlers: [String: @MainActor @Sendable (TransferEvent) -> Void] = [:]
    }

    private let link: AppLink
    private let state = Locked(State())

    init(_ link: AppLink) { self.link = link }

    var onNotice: (@MainActor @Sendable (TransferNotice) -> Void)? {
        get { state.withLock { $0.onNotice } }
        set { state.exchange(\.onNotice, with: newValue) }
    }

    func open(
        _ session: String, _ settings: TransferSettings,
        _ handler: @escaping @MainActor @Sendable (TransferEvent) -> Void
    ) -> Bool {
        replaceHandler(of: session, with: handler)
        return link.ask(.transfers(.open(session, settings)), for: Bool.self)
    }

    private func replaceHandler(of session: String, with new: (@MainActor @Sendable (TransferEvent) -> Void)?) {
        let old = state.withLock { state in
            defer { state.handlers[session] = new }
            return state.handlers[session]
        }
        // The old handler is released outside the lock, because the release can run any code of the app.
        withExtendedLifetime(old) {}
    }

    func invalidate(_ session: String, cancelsTasks: Bool) {
        link.perform(.transfers(.invalidate(session, cancelsTasks: cancelsTasks)))
    }

    func add(_ request: TransferRequest, to session: String) -> TransferRecord {
        link.ask(.transfers(.add(request, session: session)), for: TransferRecord.self)
    }

    func change(_ number: Int, of session: String, _ change: TransferChange) {
        link.perform(.transfers(.change(number, session: session, change)))
    }

    func records(of session: String) -> [TransferRecord] {
        link.ask(.transfers(.records(session)), for: [TransferRecord].self)
    }

    func record(_ number: Int, of session: String) -> TransferRecord? {
        link.ask(.transfers(.record(number, session: session)), for: TransferRecord?.self)
    }

    func complete(_ notice: Int) { link.perform(.transfers(.complete(notice))) }

    @MainActor
    func handle(_ event: AppEvent) {
        switch event {
        case .transfersEnded(let notice): onNotice?(notice)
        case .transfer(let session, let event):
            let handler = state.withLock { $0.handlers[session] }
            if event == .invalidated { replaceHandler(of: session, with: nil) }
            handler?(event)
        default: break
        }
    }
}
