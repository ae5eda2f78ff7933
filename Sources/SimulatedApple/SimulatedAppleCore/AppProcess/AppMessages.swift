import ApusBackground
import ApusDevice
import ApusTimers
import Foundation

/// The JSON of services' requests, replies and events.
enum ServiceJSON {
    static func encode(_ value: some Encodable) -> Data {
        guard let json = try? JSONEncoder().encode(value) else {
            preconditionFailure("\(value) cannot be written as JSON")
        }
        return json
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from json: Data) -> Value {
        guard let value = try? JSONDecoder().decode(type, from: json) else {
            preconditionFailure("\(String(decoding: json, as: UTF8.self)) is not a value of type \(type)")
        }
        return value
    }
}

/// A message of the device to a process of an app: a line.
enum DeviceMessage {
    /// The clocks stand there now; what is due is to run, and then ``AppMessage/idle(next:elapsed:)`` to be said. The
    /// process may run by itself for less than `freeTime`, in nanoseconds.
    case run(AppReadings, isScrolling: Bool, [NumberedEvent], freeTime: UInt64)
    /// The answer to a call, as JSON, and for how long from now the process may run by itself.
    case reply(call: Int, Data, freeTime: UInt64)
}

/// A message of a process of an app to the device: a line.
enum AppMessage {
    /// Nothing can run before that many nanoseconds have passed; nil when nothing waits for an instant. The process has
    /// gone on by itself for `elapsed` nanoseconds.
    case idle(next: UInt64?, elapsed: UInt64)
    /// The app's code for an event has returned on the main thread; for event 0, the app's launch.
    case returned(Int)
    /// Asks for something, after the process has gone on by itself for `elapsed` nanoseconds; the thread that asks
    /// waits for the reply.
    case call(Int, AppCall, elapsed: UInt64)
}

/// The clocks of a process, in nanoseconds.
struct AppReadings: Codable, Equatable {
    var uptime, continuous, wall: Int64
}

struct NumberedEvent: Codable {
    let number: Int
    let event: AppEvent
}

/// An event that a process of an app handles on its main thread.
enum AppEvent: Codable {
    /// The launch of a process that was prewarmed.
    case launch(AppStatus)
    case phase(Phase)
    case conditions(DeviceConditions)
    /// Memory, clock, scenes and data protection; not the phases.
    case system(SystemEvent)
    /// The expiration handler of the background task that was begun with that token.
    case backgroundTaskExpires(token: Int)
    case audioSession(AudioSessionEvent)
    case audioItemEnded(AudioItem)
    case location(session: Int, LocationUpdate)
    case locationPaused
    /// An event of the service of that name, as JSON.
    case service(String, Data)
    /// The user has answered what was asked with that number.
    case locationAuthorization(Int, LocationAuthorization)
    case notificationAuthorization(Int, NotificationAuthorization)
    case notificationComes(DeliveredNotification)
    case notificationOpened(DeliveredNotification)
    case pushComes(SilentPush)
    /// There are events to handle for a background session.
    case transfersEnded(TransferNotice)
    /// The events of the session of that identifier.
    case transfer(String, TransferEvent)
    case taskBegins(Int, BackgroundJobRequest)
    case taskExpires(Int)
    /// A command on the lock screen, by its name.
    case mediaCommand(String)
    /// The user reads the screen or touches it; ``AppCall/screen(_:_:)`` with that number is the answer.
    case screen(Int, ScreenRequest)
}

/// A call of a process of an app, which waits for the reply.
enum AppCall: Codable {
    case status
    case note(String)
    case warn(String)
    case sound(String)
    case fault(Fault)
    /// The app computes for that many nanoseconds.
    case work(Int64)
    case timeRemaining
    case settings
    case keepScreenOn(Bool)
    case beginBackgroundTask(String, token: Int)
    case beginActivity(String, token: Int)
    case endBackgroundTask(Int)
    /// The expiration handler of a background task has returned.
    case expirationHandlerReturned
    case record(String)
    case keepRecord(String, Data?)
    /// The folder of the app group of that name.
    case groupContainer(String)
    case audio(AudioCall)
    case location(LocationCall)
    case notifications(NotificationCall)
    /// A request to the service of that name, as JSON.
    case service(String, Data)
    /// From now on the app gets the events of that service.
    case observeService(String)
    case jobs(JobCall)
    case pushes(PushCall)
    case transfers(TransferCall)
    /// The answer to ``AppEvent/screen(_:_:)``.
    case screen(Int, ScreenReply)
    /// The place of a stack's addresses, if a process from the same launcher has found it.
    case place(ofAddresses: String)
    /// The process is about to be ended by a signal, because of a mistake.
    case crash(AppCrash)
}

/// The state of the device that an app's process begins with.
struct AppStatus: Codable {
    var phase: Phase
    var conditions: DeviceConditions
    var bootID: String?
    var manifest: AppManifest
    var allowsBackgroundGPU: Bool
    var launchCause: LaunchCause
    /// Whether the process has to wait before its launch.
    var isPrewarmed: Bool
}

enum AudioCall: Codable {
    case state, position, isSessionActive, deactivate, play, pause, advance
    case activate(AudioCategory)
    case replaceQueue([AudioItem])
    case replaceUpcoming([AudioItem])
    case duration(AudioItem)
    /// In nanoseconds.
    case seek(Int64)
}

enum LocationCall: Codable {
    case authorization, pausesAutomatically, stop
    case ask(Int, LocationAuthorization)
    case setPausesAutomatically(Bool)
    case begin(session: Int, inBackground: Bool)
}

enum NotificationCall: Codable {
    case authorization, pending, delivered
    case ask(Int, provisional: Bool)
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

/// Sessions are named by their identifiers, tasks by their numbers in them.
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

/// Why a request was not accepted.
struct JobRefusal: Codable {
    var code: BackgroundJobError.Code
    var message: String
}

/// The reply to what is only done.
struct Done: Codable {}

// The lines of an exchange: a letter for the kind, then numbers, and last, as JSON, a part that has many forms. Most
// messages have no such part; to write or read a whole message as JSON takes ten times as long, and was a fifth of the
// time of an exploration.

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
