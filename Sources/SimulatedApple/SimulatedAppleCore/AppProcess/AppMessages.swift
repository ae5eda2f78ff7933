import ApusBackground
import ApusDevice
import ApusTimers
package import Foundation

/// The JSON form of the requests, replies and events of services.
package enum ServiceJSON {
    package static func encode(_ value: some Encodable) -> Data {
        guard let json = try? JSONEncoder().encode(value) else {
            fatalError("\(value) cannot be written as JSON")
        }
        return json
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from json: Data) -> Value {
        guard let value = try? JSONDecoder().decode(type, from: json) else {
            fatalError("\(String(decoding: json, as: UTF8.self)) is not a value of type \(type)")
        }
        return value
    }
}

/// A one-line message from the device to an app's process.
enum DeviceMessage {
    /// Sets the clocks, and lets everything that is due run.
    ///
    /// After that work, the process may advance its clocks by itself for less than `freeTime`, in nanoseconds. It then
    /// answers ``AppMessage/idle(next:elapsed:)``.
    case run(AppReadings, isScrolling: Bool, [NumberedEvent], freeTime: UInt64)
    /// Answers a call, with JSON.
    ///
    /// From now on, the process may advance its clocks by itself for less than `freeTime`, in nanoseconds.
    case reply(call: Int, Data, freeTime: UInt64)
}

/// A one-line message from an app's process to the device.
enum AppMessage {
    /// Reports that nothing can run before `next` nanoseconds have passed; `next` is `nil` if nothing has a deadline.
    ///
    /// In the present run, the process has advanced its clocks `elapsed` nanoseconds by itself.
    case idle(next: UInt64?, elapsed: UInt64)
    /// Reports that the app's code for an event has returned on the main thread; event 0 is the app's launch.
    case returned(Int)
    /// Sends a call; the thread that made the call waits for the reply.
    ///
    /// In the present run, the process had advanced its clocks `elapsed` nanoseconds by itself before the call.
    case call(Int, AppCall, elapsed: UInt64)
}

/// The readings of a process's clocks, in nanoseconds.
struct AppReadings: Codable, Equatable {
    var uptime, continuous, wall: Int64
}

struct NumberedEvent: Codable {
    let number: Int
    let event: AppEvent
}

/// An event that an app's process handles on its main thread.
enum AppEvent: Codable {
    /// The launch of a process that was prewarmed.
    case launch(AppStatus)
    case phase(Phase)
    case conditions(DeviceConditions)
    /// An event that concerns memory, the clock, scenes or data protection; a change of the phase is a separate event.
    case system(SystemEvent)
    /// The call of the expiration handler of the background task that was begun with this token.
    case backgroundTaskExpires(token: Int)
    case audioSession(AudioSessionEvent)
    case audioItemEnded(player: Int, AudioItem)
    /// A report for the updates that the manager started with this number.
    case location(manager: Int, start: Int, LocationReport)
    /// An event of the service with this name, as JSON.
    case service(String, Data)
    /// The user's answer to the question with this number.
    case locationAuthorization(Int, LocationAuthorization)
    case notificationAuthorization(Int, NotificationAuthorization)
    case notificationComes(DeliveredNotification)
    case notificationOpened(DeliveredNotification)
    case pushComes(SilentPush)
    /// Events of a background session are to be handled.
    case transfersEnded(TransferNotice)
    /// An event of the session with this identifier.
    case transfer(String, TransferEvent)
    case taskBegins(Int, BackgroundJobRequest)
    case taskExpires(Int)
    /// A command on the lock screen, by its name.
    case mediaCommand(String)
    /// A request to read or touch the screen, which ``AppCall/screen(_:_:)`` answers with the same number.
    case screen(Int, ScreenRequest)
}

/// A call of an app's process to the device; the calling thread waits for the reply.
enum AppCall: Codable {
    case status
    case note(String)
    case warn(String)
    case sound(String)
    case fault(Fault)
    /// Lets the app compute for this number of nanoseconds.
    case work(Int64)
    case timeRemaining
    case settings
    case keepScreenOn(Bool)
    case beginBackgroundTask(String, token: Int)
    case beginActivity(String, token: Int)
    case endBackgroundTask(Int)
    /// Reports that the expiration handler of a background task has returned.
    case expirationHandlerReturned
    case record(String)
    case keepRecord(String, Data?)
    /// Asks for the folder of the app group with this name.
    case groupContainer(String)
    case audio(AudioCall)
    case location(LocationCall)
    case notifications(NotificationCall)
    /// Sends a request, as JSON, to the service with this name.
    case service(String, Data)
    /// Requests the events of the service with this name.
    case observeService(String)
    case jobs(JobCall)
    case pushes(PushCall)
    case transfers(TransferCall)
    /// Answers ``AppEvent/screen(_:_:)``.
    case screen(Int, ScreenReply)
    /// Asks for the place of a stack's addresses if another process of the launcher has found it.
    case place(ofAddresses: String)
    /// Reports that the process is about to be ended by a signal, because of a mistake.
    case crash(AppCrash)
}

/// The state of the device with which an app's process begins.
struct AppStatus: Codable {
    var phase: Phase
    var conditions: DeviceConditions
    var bootID: String?
    var manifest: AppManifest
    var allowsBackgroundGPU: Bool
    var launchCause: LaunchCause
    /// Whether the process waits for an event before its launch.
    var isPrewarmed: Bool
}

enum AudioCall: Codable {
    case isSessionActive, deactivate
    case activate(AudioCategory)
    case state(player: Int)
    case position(player: Int)
    case play(player: Int)
    case pause(player: Int)
    case advance(player: Int)
    case release(player: Int)
    case replaceQueue([AudioItem], player: Int)
    case replaceUpcoming([AudioItem], player: Int)
    case duration(AudioItem)
    /// Moves to this position, in nanoseconds.
    case seek(Int64, player: Int)
    case setVoice(Int, speaks: Bool)
}

enum LocationCall: Codable {
    case authorization
    case ask(Int, LocationAuthorization)
    case begin(manager: Int, start: Int, LocationSettings)
    case change(manager: Int, LocationSettings)
    case stop(manager: Int)
}

enum NotificationCall: Codable {
    case authorization, pending, delivered, badge, allowsBadge
    case ask(Int, provisional: Bool, badge: Bool)
    case setBadge(Int)
    case setDecides(Bool)
    case add(PhoneNotification)
    case removePending([String])
    case removeDelivered([String])
    case show(PhoneNotification)
}

enum PushCall: Codable {
    case isRegistered
    case setRegistered(Bool)
    case complete(Int)
}

/// A call about sessions, which are named by their identifiers, and their tasks, which are named by their numbers.
enum TransferCall: Codable {
    case open(String, TransferSettings)
    case invalidate(String, cancelsTasks: Bool)
    case add(TransferRequest, session: String)
    case change(Int, session: String, TransferChange)
    case records(String)
    case record(Int, session: String)
    case complete(Int)
}

enum JobCall: Codable {
    case cancelAll, pending
    case register(String)
    case submit(BackgroundJobRequest)
    case cancel(String)
    case simulateLaunch(String)
    case simulateExpiration(String)
    case setExpires(Int, Bool)
    case report(Int, completed: Int64, total: Int64)
    case updateTitle(Int, title: String, subtitle: String)
    case complete(Int, success: Bool)
}

/// The reason for which a request was refused.
struct JobRefusal: Codable {
    var code: BackgroundJobError.Code
    var message: String
}

/// The reply to a call without a result.
struct Done: Codable {}

// A line consists of a letter for the kind of message, numbers, and at the end the part that has many forms, as JSON.
// Most messages have no such part. When whole messages were JSON, writing them took ten times as long as now. That was
// a fifth of the time that an exploration took.

extension DeviceMessage: LineMessage {
    func write(to line: inout LineWriter) {
        switch self {
        case .run(let readings, let isScrolling, let events, let freeTime):
            line.begin("r")
            for reading in [readings.uptime, readings.continuous, readings.wall] { line.add(reading) }
            line.add(isScrolling ? 1 : 0)
            line.add(freeTime)
            if !events.isEmpty { line.add(json: events) }
        case .reply(let call, let reply, let freeTime):
            line.begin("a")
            line.add(call)
            line.add(freeTime)
            line.add(reply)
        }
    }

    init?(_ line: inout LineReader) {
        switch line.kind {
        case "r":
            guard let uptime = line.number(Int64.self), let continuous = line.number(Int64.self),
                let wall = line.number(Int64.self), let isScrolling = line.number(Int.self),
                let freeTime = line.number(UInt64.self),
                let events = line.isAtEnd ? [] : line.json([NumberedEvent].self)
            else { return nil }
            let readings = AppReadings(uptime: uptime, continuous: continuous, wall: wall)
            self = .run(readings, isScrolling: isScrolling == 1, events, freeTime: freeTime)
        case "a":
            guard let call = line.number(Int.self), let freeTime = line.number(UInt64.self) else { return nil }
            self = .reply(call: call, line.rest, freeTime: freeTime)
        default: return nil
        }
    }
}

extension AppMessage: LineMessage {
    func write(to line: inout LineWriter) {
        switch self {
        case .idle(let next, let elapsed):
            line.begin("i")
            line.add(elapsed)
            if let next { line.add(next) }
        case .returned(let event):
            line.begin("e")
            line.add(event)
        case .call(let number, let call, let elapsed):
            line.begin("c")
            line.add(number)
            line.add(elapsed)
            line.add(json: call)
        }
    }

    init?(_ line: inout LineReader) {
        switch line.kind {
        case "i":
            guard let elapsed = line.number(UInt64.self) else { return nil }
            if line.isAtEnd {
                self = .idle(next: nil, elapsed: elapsed)
            } else {
                guard let next = line.number(UInt64.self) else { return nil }
                self = .idle(next: next, elapsed: elapsed)
            }
        case "e":
            guard let event = line.number(Int.self) else { return nil }
            self = .returned(event)
        case "c":
            guard let number = line.number(Int.self), let elapsed = line.number(UInt64.self),
                let call = line.json(AppCall.self)
            else { return nil }
            self = .call(number, call, elapsed: elapsed)
        default: return nil
        }
    }
}
