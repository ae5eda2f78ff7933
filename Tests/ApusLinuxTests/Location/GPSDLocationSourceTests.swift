import ApusBackground
import ApusTimers
import Foundation
import Logging
import Testing

@testable import ApusLinux

/// What a test has a source for.
private final class Trip: Sendable {
    let host: LinuxHost
    let log = Record<String>()

    init(grace: Duration = .seconds(30), margin: Duration = .seconds(4)) {
        host = LinuxHost(configuration: .init(gracePeriod: grace, expirationMargin: margin), logger: silent)
    }

    func source(port: UInt16, _ authorization: LocationAuthorization = .always) -> GPSDLocationSource {
        var settings = GPSDSession.Settings(host: "127.0.0.1", port: port)
        // Real time is waited for, so it is short; the pauses themselves are tested without it.
        settings.firstPause = .milliseconds(10)
        settings.longestPause = .milliseconds(100)
        let log = log
        return GPSDLocationSource(
            host: host, settings: settings, authorization: authorization,
            logger: Logger(label: "test") { _ in LineLog(lines: log) })
    }

    var claims: [String] { host.registry.openNames }
}

private func fix(_ latitude: Int) -> String {
    #"{"class":"TPV","device":"/dev/gps0","mode":3,"time":"2024-03-01T12:00:05.000Z","lat":\#(latitude),"lon":2.5,"eph":3}"#
        + "\r\n"
}

private func position(_ latitude: Double) -> LocationUpdate {
    let instant = WallInstant(secondsSince1970: 1_709_294_405)
    return .position(Position(latitude: latitude, longitude: 2.5, accuracy: 3, instant: instant))
}

extension AsyncStream<LocationUpdate> {
    fileprivate func first(_ count: Int) async -> [LocationUpdate] {
        var updates: [LocationUpdate] = []
        for await update in self {
            updates.append(update)
            if updates.count == count { break }
        }
        return updates
    }
}

/// Real sockets and real time; the limit is for updates that never come.
@Suite("Positions from gpsd", .timeLimit(.minutes(5)))
struct GPSDLocationSourceTests {
    @Test("updates come out of torn lines, between garbage and endless lines")
    func torn() async throws {
        let asked = Record<String>()
        let server = try ScriptedServer([
            { peer in
                peer.say(#"{"class":"VERSION","release":"3.22"}"# + "\r\n")
                asked.add(peer.hear() ?? "nothing")
                peer.say("garbage\n\n{}\n" + fix(1))
                for character in fix(2) { peer.say(String(character)) }
                peer.say(String(repeating: "x", count: 1_000_000) + "\n" + fix(3))
                peer.waitForEnd()
            }
        ])
        let trip = Trip()
        let source = trip.source(port: server.port)
        let updates = try source.start(inBackground: false)
        let seen = await updates.first(4)
        #expect(seen == [.noFix, position(1), position(2), position(3)])
        #expect(asked.all == [#"?WATCH={"enable":true,"json":true}"#])
        #expect(trip.log.all.filter { $0.contains("no JSON") }.count == 2)
        #expect(trip.log.all.filter { $0.contains("too long") }.count == 1)
        #expect(trip.claims == [])
    }

    @Test("a gpsd that goes away is no fix, and positions continue when it is back")
    func goesAway() async throws {
        let server = try ScriptedServer([
            { peer in
                _ = peer.hear()
                peer.say(fix(1) + fix(1).prefix(20))
            },
            { _ in },
            { peer in
                _ = peer.hear()
                peer.say(fix(2))
                peer.waitForEnd()
            },
        ])
        let trip = Trip()
        let source = trip.source(port: server.port)
        let updates = try source.start(inBackground: false)
        #expect(await updates.first(4) == [.noFix, position(1), .noFix, position(2)])
        #expect(trip.log.all.contains { $0.contains("cannot be reached") && $0.contains("package gpsd") })
        #expect(trip.log.all.contains { $0.contains("can be reached again") })
    }

    @Test("a gpsd that is not there yet is looked for until it is, and that is no error")
    func comesLater() async throws {
        let port = try ReservedPort()
        let trip = Trip()
        let source = trip.source(port: port.number)
        let updates = try source.start(inBackground: false)
        try await eventually { !trip.log.all.isEmpty }
        #expect(trip.log.all.filter { $0.contains("cannot be reached") }.count == 1)
        let server = try ScriptedServer(
            on: port,
            [
                { peer in
                    _ = peer.hear()
                    peer.say(fix(1))
                    peer.waitForEnd()
                }
            ])
        #expect(await updates.first(2) == [.noFix, position(1)])
        withExtendedLifetime(server) {}
    }

    @Test("an unknown name is looked up repeatedly, and is no crash")
    func unknownName() async throws {
        let trip = Trip()
        let settings = GPSDSession.Settings(host: "no such name.invalid", port: 1)
        let log = trip.log
        let source = GPSDLocationSource(
            host: trip.host, settings: settings, logger: Logger(label: "test") { _ in LineLog(lines: log) })
        let updates = try source.start(inBackground: false)
        try await eventually { !trip.log.all.isEmpty }
        source.stop()
        #expect(await updates.first(2) == [.noFix])
    }

    @Test("the sequence ends with stop, with another start and with the source, and so does the connection")
    func ends() async throws {
        let left = AsyncStream.makeStream(of: Int.self)
        let scripts: [@Sendable (ScriptedServer.Peer) -> Void] = (1...4).map { number in
            { peer in
                _ = peer.hear()
                peer.say(fix(number))
                peer.waitForEnd()
                left.continuation.yield(number)
            }
        }
        let server = try ScriptedServer(scripts)
        let trip = Trip()
        var source: GPSDLocationSource? = trip.source(port: server.port)
        var departures = left.stream.makeAsyncIterator()

        let stopped = try #require(try source?.start(inBackground: false))
        #expect(await stopped.first(2) == [.noFix, position(1)])
        source?.stop()
        #expect(await stopped.first(1) == [])
        #expect(await departures.next() == 1)

        let replaced = try #require(try source?.start(inBackground: false))
        #expect(await replaced.first(2) == [.noFix, position(2)])
        var dropped: AsyncStream<LocationUpdate>? = try source?.start(inBackground: false)
        #expect(await replaced.first(1) == [])
        #expect(await departures.next() == 2)

        #expect(await dropped?.first(2) == [.noFix, position(3)])
        dropped = nil
        #expect(await departures.next() == 3)

        let orphan = try #require(try source?.start(inBackground: false))
        #expect(await orphan.first(2) == [.noFix, position(4)])
        source = nil
        #expect(await orphan.first(1) == [])
        #expect(await departures.next() == 4)
    }

    @Test("what is not authorized throws, and asking changes nothing", arguments: LocationAuthorization.allCases)
    func authorization(_ authorization: LocationAuthorization) async throws {
        let trip = Trip()
        let unused = try ReservedPort()
        let source = trip.source(port: unused.number, authorization)
        #expect(source.authorization == authorization)
        #expect(await source.requestAuthorization(.always) == authorization)
        switch authorization {
        case .always, .whenInUse:
            #expect(await (try source.start(inBackground: true)).first(1) == [.noFix])
        case .denied, .notDetermined:
            let error = #expect(throws: BackgroundError.self) { try source.start(inBackground: false) }
            #expect(error?.code == .modeUnavailable)
            #expect(error?.message.contains(authorization.rawValue) == true)
            #expect(trip.claims == [])
        }
    }

    @Test("updates in the background hold the process until they end, and end when its time is nearly over")
    func background() async throws {
        // A second of background, and then plenty of time for a busy machine to wind up.
        let trip = Trip(grace: .seconds(60), margin: .seconds(59))
        let unused = try ReservedPort()
        let source = trip.source(port: unused.number)
        _ = try source.start(inBackground: true)
        try await eventually { trip.claims.isEmpty }

        let updates = try source.start(inBackground: true)
        #expect(trip.claims == ["location"])
        source.stop()
        #expect(trip.claims == [])
        #expect(await updates.first(2) == [.noFix])

        let cut = try source.start(inBackground: true)
        trip.host.requestStop()
        let outcome = await trip.host.run(signals: AsyncStream<TerminationSignal> { _ in })
        #expect(outcome == .completed)
        #expect(await cut.first(2) == [.noFix])
        let error = #expect(throws: BackgroundError.self) { try source.start(inBackground: true) }
        #expect(error?.code == .modeUnavailable)
        #expect((error?.cause as? BackgroundError)?.code == .tooLate)
        let inUse = trip.source(port: 1, .whenInUse)
        #expect(throws: BackgroundError.self) { try inUse.start(inBackground: false) }
    }

    @Test("a consumer that does not keep up gets the newest hundred")
    func slowConsumer() async throws {
        let server = try ScriptedServer([
            { peer in
                _ = peer.hear()
                for number in 0..<1_000 { peer.say(fix(number % 90)) }
                peer.say("garbage\n")
                peer.waitForEnd()
            }
        ])
        let trip = Trip()
        let source = trip.source(port: server.port)
        let updates = try source.start(inBackground: false)
        // What is in the log was said after everything else.
        try await eventually { !trip.log.all.isEmpty }
        source.stop()
        let kept = await updates.first(1_000)
        #expect(kept == (900..<1_000).map { position(Double($0 % 90)) })
    }
}
