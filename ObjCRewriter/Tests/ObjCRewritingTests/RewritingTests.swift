import ObjCRewriting
import Testing

/// Rewrites a class `Clock` with these members, and returns the lines between its braces.
private func members(_ lines: String, of type: String = "class Clock: NSObject {") -> String {
    let rewritten = ObjCRewriting.rewritten("\(type)\n\(lines)\n}\n")
    return rewritten.split(separator: "\n", omittingEmptySubsequences: false)
        .dropFirst().prefix { $0 != "}" }.joined(separator: "\n")
}

@Suite("Rewriting of Objective-C's attributes and selectors")
struct RewritingTests {
    @Test(
        "an attribute is spaces of the same length",
        arguments: [
            ("@objc func tick() {}", "      func tick() {}"),
            ("@objc(tick:) func tick(_ timer: Timer) {}", "             func tick(_ timer: Timer) {}"),
            ("@IBOutlet weak var label: UILabel!", "          weak var label: UILabel!"),
            ("@IBAction private func start(_ sender: Any) {}", "          private func start(_ sender: Any) {}"),
            ("@objc dynamic var count = 0", "              var count = 0"),
            ("@IBInspectable var width: CGFloat = 1", "               var width: CGFloat = 1"),
            ("@objc\n    func tick() {}", "     \n    func tick() {}"),
            ("@objc @MainActor func tick() {}", "      @MainActor func tick() {}"),
            ("@nonobjc func tick() {}", "         func tick() {}"),
            ("@objc(\n  tick:)\nfunc tick(_ timer: Timer) {}", "      \n        \nfunc tick(_ timer: Timer) {}"),
        ])
    func attributes(source: String, expected: String) {
        #expect(members(source) == expected)
    }

    @Test("@UIApplicationMain is @main, and other attributes stay")
    func applicationMain() {
        #expect(
            ObjCRewriting.rewritten("@UIApplicationMain class AppDelegate: UIResponder {}\n")
                == "@main              class AppDelegate: UIResponder {}\n")
        let others = "@objcMembers @available(iOS 13, *) final class A { @Published var x = 1; @NSManaged var y: Int }"
        #expect(
            ObjCRewriting.rewritten(others)
                == "             @available(iOS 13, *) final class A { @Published var x = 1; @NSManaged var y: Int }")
    }

    @Test(
        "a preview is spaces and line ends",
        arguments: [
            ("#Preview { Text(\"é\") }", "                       "),
            ("#Preview(\"Dark\") {\n  Timer()\n}", "                  \n         \n "),
            ("@available(iOS 17, *)\n#Preview(traits: .sizeThatFitsLayout) { Timer() }", nil),
            ("#Preview {\n  Button { run(#selector(tick)) }\n}", nil),
        ])
    func previews(source: String, expected: String?) {
        let rewritten = ObjCRewriting.rewritten("let a = 1\n\(source)\nlet b = 2\n")
        let blank = String(source.utf8.map { $0 == UInt8(ascii: "\n") ? "\n" : " " })
        #expect(rewritten == "let a = 1\n\(expected ?? blank)\nlet b = 2\n")
    }

    @Test("a protocol of Objective-C's is one of classes")
    func protocols() {
        #expect(ObjCRewriting.rewritten("@objc protocol P {}") == "      protocol P: AnyObject {}")
        #expect(ObjCRewriting.rewritten("@objc protocol P: Q {}") == "      protocol P: Q, AnyObject {}")
        #expect(ObjCRewriting.rewritten("protocol P: Q {}") == "protocol P: Q {}")
    }

    @Test(
        "a selector is a call of the same length, with the method in its column",
        arguments: [
            ("#selector(tick)", "_Sel(Self.tick)"),
            ("#selector(tick(_:))", "_Sel(Self.tick(_:))"),
            ("#selector(self.tick)", "_Sel(     Self.tick)"),
            ("#selector(Self.tick)", "_Sel(     Self.tick)"),
            ("#selector(Clock.tick(timer:))", "_Sel(     Clock.tick(timer:))"),
            ("#selector(App.Clock.tick)", "_Sel(     App.Clock.tick)"),
            ("#selector( tick )", "_Sel( Self.tick )"),
            ("#selector(Clock.tick as (Clock) -> () -> Void)", "_Sel(     Clock.tick as (Clock) -> () -> Void)"),
            ("#selector(getter: Clock.count)", "_Sel(            \\Clock.count)"),
            ("#selector(getter: count)", "_Sel(      \\Clock.count)"),
            ("#selector(\n            tick)", "_Sel(     \n       Self.tick)"),
        ])
    func selectors(source: String, expected: String) {
        #expect(members("    func run() { start(\(source), 1) }") == "    func run() { start(\(expected), 1) }")
        #expect(source.utf8.count == expected.utf8.count)
    }

    @Test(
        "where there is not enough space, only what follows on the line moves",
        arguments: [
            ("#selector(tick as () -> Void)", "_Sel(Self.tick as (Self) -> () -> Void)"),
            ("#selector(tick as (() -> Void))", "_Sel(Self.tick as (Self) -> (() -> Void))"),
            ("#selector(clock.tick)", "_Sel(type(of: clock).tick)"),
            ("#selector(self.clock.tick(_:))", "_Sel(type(of: self.clock).tick(_:))"),
        ])
    func longSelectors(source: String, expected: String) {
        #expect(members("    func run() { start(\(source), 1) }") == "    func run() { start(\(expected), 1) }")
    }

    @Test("the initial value of a stored property names the class, unless the property is lazy")
    func initialValues() {
        let source = """
                let a = make(#selector(tick))
                static let b = { make(#selector(tick)) }()
                lazy var c = make(#selector(tick))
                var d: Selector { #selector(tick) }
                var e = 1 { didSet { make(#selector(tick)) } }
                func f() { let a = make(#selector(tick)) }
            """
        let expected = """
                let a = make(_Sel(Clock.tick))
                static let b = { make(_Sel(Clock.tick)) }()
                lazy var c = make(_Sel(Self.tick))
                var d: Selector { _Sel(Self.tick) }
                var e = 1 { didSet { make(_Sel(Self.tick)) } }
                func f() { let a = make(_Sel(Self.tick)) }
            """
        #expect(members(source) == expected)
        #expect(
            members("static let a = #selector(tick)", of: "extension App.Clock {")
                == "static let a = _Sel(App.Clock.tick)")
    }

    @Test(
        "a key path is a text of the same length",
        arguments: [
            ("#keyPath(Clock.hand.angle)", "\"hand.angle\"              "), ("#keyPath(angle)", "\"angle\"        "),
            ("#keyPath(self.angle)", "\"angle\"             "), ("#keyPath(\n  hand)", "\"hand\"\n          "),
        ])
    func keyPaths(source: String, expected: String) {
        #expect(members("    func run() { start(\(source), 1) }") == "    func run() { start(\(expected), 1) }")
    }

    @Test("the calls find the names of their methods by their line and the column of the parenthesis")
    func names() {
        let source = "class Clock {\n  func run() { é(#selector(tick), #selector(Clock.tock(_:by:))) }\n}\n"
        #expect(
            ObjCRewriting.rewritten(source) == """
                class Clock {
                  func run() { é(_Sel(Self.tick), _Sel(     Clock.tock(_:by:))) }
                }

                import SimulatedAppleCore
                nonisolated private var _Sel: SelectorNames { SelectorNames(["2:23": "tick", "2:40": "tock(_:by:)"]) }

                """)
    }

    @Test("the places of calls are those in the rewritten text, whatever has moved before them on the line")
    func movedNames() {
        let line =
            "  let all = [#selector(tick), #selector(clock.tick), #selector(tick as () -> Void), #selector(tock)]"
        let rewritten = ObjCRewriting.rewritten("class LongName {\n\(line)\n}\n")
        let call = rewritten.split(separator: "\n")[1]
        let ends = call.utf8.indices.filter { call.utf8[$0...].starts(with: "_Sel(".utf8) }
        #expect(ends.count == 4)
        for end in ends {
            let column = call.utf8.distance(from: call.utf8.startIndex, to: end) + 5
            #expect(rewritten.contains("\"2:\(column)\": "))
        }
    }

    @Test("messages name the original, whose first line is the second")
    func original() {
        #expect(
            ObjCRewriting.rewritten("let a = 1\n", original: "/a b/c.swift")
                == "#sourceLocation(file: \"/a b/c.swift\", line: 1)\nlet a = 1\n")
    }

    @Test(
        "what is only a text or a comment stays, and so does what cannot be rewritten",
        arguments: [
            "// @objc func tick()", "let a = \"@objc #selector(tick)\"", "/* #selector(tick) */ let b = 1",
            "let c = #selector(setter: Clock.count)", "let d = #selector(tick)", "let objc = dynamic",
            "#warning(\"objc\")", "let e = #available(iOS 13, *)", "@objc", "class {{ #selector(",
        ])
    func untouched(source: String) {
        // An attribute without a declaration is blanked.
        #expect(ObjCRewriting.rewritten(source) == (source == "@objc" ? "     " : source))
    }
}
