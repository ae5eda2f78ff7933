import ApusTimers
import Foundation
import LoopbackWeb
import Testing

@testable import Sleepless

@Suite("The arguments of a control")
struct ArgumentsTests {
    private enum Fruit: String, CaseIterable { case apple, pear }

    private func arguments(_ text: String) throws -> Arguments { try Arguments(Data(text.utf8)) }

    @Test("numbers, flags, texts and choices are read, and what may be absent may be null")
    func reads() throws {
        let arguments = try arguments(#"{"n":1.5,"id":7,"on":true,"text":"Milk","fruit":"pear","none":null}"#)
        #expect(try arguments.number("n", in: 0...2) == 1.5)
        #expect(try arguments.identifier("id") == 7)
        #expect(try arguments.flag("on"))
        #expect(try !arguments.flag("none", or: false))
        #expect(try arguments.text("text") == "Milk")
        #expect(try arguments.choice("fruit", Fruit.self) == .pear)
        #expect(try arguments.optionalNumber("none", in: 0...1) == nil)
        #expect(try arguments.optionalNumber("absent", in: 0...1) == nil)
        #expect(!arguments.has("none"))
    }

    @Test("an empty body has no arguments")
    func empty() throws { #expect(try arguments("").optionalNumber("n", in: 0...1) == nil) }

    @Test(
        "what is not accepted is an error that names the argument and what is",
        arguments: [
            (#"{"n":3}"#, "`n` is not a number from 0 to 2"), (#"{"n":"1"}"#, "`n` is not a number from 0 to 2"),
            (#"{"n":true}"#, "`n` is not a number from 0 to 2"), ("{}", "`n` is missing; pass a number from 0 to 2"),
        ])
    func refusesNumbers(body: String, message: String) throws {
        let arguments = try arguments(body)
        let error = #expect(throws: WebError.self) { try arguments.number("n", in: 0...2) }
        #expect(error?.message == message)
        #expect(error?.code == "invalid")
    }

    @Test("an argument that is not read is refused, and the error names it and those that are read")
    func unknown() throws {
        let arguments = try arguments(#"{"delay":3,"repaet":5,"Delay":null}"#)
        let error = #expect(throws: WebError.self) { try arguments.accept(only: ["delay", "repeat"], in: "timer/go") }
        #expect(error?.message == "“timer/go” has no argument `Delay`, `repaet`; it takes `delay`, `repeat`")
        let none = #expect(throws: WebError.self) { try arguments.accept(only: [], in: "home") }
        #expect(none?.message.hasSuffix("; pass none") == true)
        try arguments.accept(only: ["Delay", "delay", "repaet"], in: "x")
    }

    @Test("a wrong word names the right ones, and other wrong things are refused too")
    func refuses() throws {
        let arguments = try arguments(#"{"fruit":"plum","id":1.5,"on":1,"text":[1]}"#)
        let error = #expect(throws: WebError.self) { try arguments.choice("fruit", Fruit.self) }
        #expect(error?.message == "`fruit` is not one of apple, pear")
        #expect(throws: WebError.self) { try arguments.identifier("id") }
        #expect(throws: WebError.self) { try arguments.flag("on") }
        #expect(throws: WebError.self) { try arguments.flag("on", or: false) }
        #expect(throws: WebError.self) { try arguments.text("text") }
        #expect(throws: WebError.self) { try arguments.instant("fruit", after: WallInstant(secondsSince1970: 0)) }
    }

    @Test("a body that is not an object is refused", arguments: ["[1]", "3", "{", "\"text\""])
    func notAnObject(body: String) {
        #expect(throws: WebError.self) { try self.arguments(body) }
    }
}
