import Foundation
import Testing

@testable import ApusLinux

@Suite("mpv's JSON")
struct MPVMessageTests {
    @Test(
        "what mpv says is understood",
        arguments: [
            (#"{"request_id":3,"error":"success"}"#, MPVMessage.answer(3, .done)),
            (#"{"data":null,"request_id":3,"error":"success"}"#, .answer(3, .done)),
            (#"{"data":{"playlist_entry_id":7},"request_id":6,"error":"success"}"#, .answer(6, .entry(7))),
            (#"{"data":1.5,"request_id":6,"error":"success"}"#, .answer(6, .position(.milliseconds(1_500)))),
            (#"{"data":-0.1,"request_id":6,"error":"success"}"#, .answer(6, .position(.zero))),
            (#"{"data":1e300,"request_id":6,"error":"success"}"#, .answer(6, .done)),
            (#"{"data":"text","request_id":6,"error":"success"}"#, .answer(6, .done)),
            (#"{"request_id":5,"error":"property unavailable"}"#, .answer(5, .failed("property unavailable"))),
            (#"{"event":"start-file","playlist_entry_id":1}"#, .started(entry: 1)),
            (#"{"event":"end-file","reason":"eof","playlist_entry_id":1}"#, .ended(entry: 1, .played)),
            (#"{"event":"end-file","reason":"stop","playlist_entry_id":1}"#, .ended(entry: 1, .stopped)),
            (
                #"{"event":"end-file","reason":"error","playlist_entry_id":2,"file_error":"loading failed"}"#,
                .ended(entry: 2, .failed("loading failed"))
            ),
            (#"{"event":"end-file","reason":"unknown","playlist_entry_id":2}"#, .ended(entry: 2, .failed("unknown"))),
            (
                #"{"event":"end-file","reason":"redirect","playlist_entry_id":4,"playlist_insert_id":5,"playlist_insert_num_entries":2}"#,
                .ended(entry: 4, .replaced(by: 5..<7))
            ),
            (
                #"{"event":"end-file","reason":"redirect","playlist_entry_id":4,"playlist_insert_id":9223372036854775807,"playlist_insert_num_entries":2}"#,
                .ended(entry: 4, .failed("an empty playlist"))
            ),
            (#"{"event":"property-change","id":1,"name":"core-idle","data":true}"#, .coreIdle(true)),
            (#"{"event":"playback-restart"}"#, .restarted),
        ])
    func understood(line: String, message: MPVMessage) throws {
        #expect(try MPVMessage(line: line) == message)
    }

    @Test(
        "messages that were not asked for are skipped",
        arguments: [
            #"{"event":"audio-reconfig"}"#, #"{"event":"start-file"}"#, #"{}"#, #"{"request_id":1}"#,
            #"{"event":"property-change","id":1,"name":"core-idle"}"#,
            #"{"event":"property-change","id":2,"name":"pause","data":true}"#,
        ])
    func passedOver(line: String) throws { #expect(try MPVMessage(line: line) == nil) }

    @Test("what is no JSON object is an error", arguments: ["", "garbage", "[1]", "{\"event\":", "3"])
    func garbage(line: String) { #expect(throws: (any Error).self) { try MPVMessage(line: line) } }

    @Test("commands are lines of JSON with their number, whatever is in the names")
    func commands() throws {
        func command(_ command: MPVCommand) throws -> [String: Any] {
            let line = command.line(number: 12)
            #expect(!line.contains("\n"))
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["request_id"] as? Int == 12)
            return try #require(object)
        }
        // Not a number, which some decoders make of it.
        #expect(MPVCommand.setPause(true).line(number: 1).contains(#"["set_property","pause",true]"#))
        #expect(try command(.observeCoreIdle)["command"] as? [AnyHashable] == ["observe_property", 1, "core-idle"])
        #expect(try command(.stop)["command"] as? [String] == ["stop"])
        #expect(try command(.getPosition)["command"] as? [String] == ["get_property", "time-pos"])

        let file = MPVCommand.AudioFile(source: "/music/a \"b\"\n.ogg", title: "Ü, \\ = 🍵")
        let load = try #require(try command(.load(file, start: .milliseconds(61_040)))["command"] as? [String: Any])
        #expect(load["name"] as? String == "loadfile")
        #expect(load["url"] as? String == file.source)
        #expect(load["flags"] as? String == "replace")
        #expect(load["options"] as? [String: String] == ["force-media-title": file.title, "start": "61.040000"])
        let append = try #require(try command(.append(file))["command"] as? [String: Any])
        #expect(append["flags"] as? String == "append-play")
        #expect(append["options"] as? [String: String] == ["force-media-title": file.title])
    }
}
