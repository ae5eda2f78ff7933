import ApusBackground
import Foundation
import Testing

@testable import SimulatedAppleCore

@Suite("Messages between a device and a process of an app")
struct AppMessageTests {
    private func line(_ message: some LineMessage) -> String {
        var line = LineWriter()
        message.write(to: &line)
        return String(decoding: line.bytes, as: UTF8.self)
    }

    private func read<Message: LineMessage>(_ line: String, as type: Message.Type) -> Message? {
        var reader = LineReader(Array(line.utf8)[...])
        return Message(&reader)
    }

    private func again<Message: LineMessage>(_ message: Message) -> Message? {
        read(line(message), as: Message.self)
    }

    @Test("a message that was read equals what was written")
    func roundTrip() throws {
        let readings = AppReadings(uptime: .max, continuous: 0, wall: -1)
        let events = [
            NumberedEvent(number: 7, event: .phase(.suspended)),
            NumberedEvent(number: 8, event: .mediaCommand("two words\nand a line")),
        ]
        for message in [
            DeviceMessage.run(readings, isScrolling: true, events, freeTime: .max),
            .run(readings, isScrolling: false, [], freeTime: 0),
            .reply(call: 3, Data("{\"text\":\"with spaces\"}".utf8), freeTime: 5), .reply(call: 4, Data(), freeTime: 0),
        ] {
            #expect(again(message).map { "\($0)" } == "\(message)")
        }
        for message in [
            AppMessage.idle(next: .max, elapsed: 12), .idle(next: nil, elapsed: 0), .returned(0),
            .call(9, .note("left 5\nof 6"), elapsed: 77), .call(10, .status, elapsed: 0),
        ] {
            #expect(again(message).map { "\($0)" } == "\(message)")
        }
    }

    @Test("a message is one line, whatever texts are in it")
    func lineEnds() {
        #expect(!line(AppMessage.call(1, .note("a\nb\r\n"), elapsed: 0)).contains("\n"))
        let event = NumberedEvent(number: 1, event: .mediaCommand("a\nb"))
        let readings = AppReadings(uptime: 1, continuous: 2, wall: 3)
        #expect(!line(DeviceMessage.run(readings, isScrolling: false, [event], freeTime: 0)).contains("\n"))
    }

    @Test("a line that is no message is not read")
    func refused() {
        for text in ["", "x 1", "i", "i 1 soon", "e one", "c 1 2", "c 1 2 {}", "r 1 2 3 0"] {
            #expect(read(text, as: AppMessage.self) == nil, "\(text)")
            #expect(read(text, as: DeviceMessage.self) == nil, "\(text)")
        }
    }
}
