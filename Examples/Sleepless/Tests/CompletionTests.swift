import ApusBackground
import ApusTesting
import Foundation
import Testing

@testable import SleeplessApp

@MainActor
@Suite("The screen Completion")
struct CompletionTests {
    @Test(
        "the numbers are exact, however large",
        arguments: [
            (0, "0"), (1, "1"), (2, "1"), (42, "267914296"), (87, "679891637638612258"),
            (88, "1100087778366101931"), (93, "12200160415121876738"), (100, "354224848179261915075"),
            (300, "222232244629420445529739893461909967206666939096499764990979600"),
            (
                1_000,
                "434665576869374564356885276750406258025646605173717804024817290895365554179490518904038798400792551"
                    + "692959225930803226347752096896232398733224711616429964409065331879382989696499285160037044761377951"
                    + "66849228875"
            ),
        ])
    func exact(index: Int, value: String) {
        var fibonacci = Fibonacci()
        for _ in 0..<index { fibonacci.advance() }
        #expect(fibonacci.index == index)
        #expect(fibonacci.value == value)
        #expect(fibonacci.digitCount == value.count)
    }

    @Test(
        "of a long number the first and the last digits and their count are exact, and what is kept of it stays small",
        arguments: [
            (
                1_725, 361,
                "142624596592647104513500331809914380929817542501165894948454092476960417203473830525046290"
                    + "355236526304640588392880992440134346815279555202044652",
                "004630523852428598282695708031471187159290126104956310442145247246649119796887446476157665"
                    + "101198479930838968424131086546157717031927050010254850"
            ),
            (
                5_000, 1_045,
                "387896845438832563370191630832590531208212771464624510616059721489555013904403709701082291"
                    + "646221066947929345285888297381348310200895498294036143",
                "873801976993820317174208932265468879364002630797780058759129671389634214252579116872755600"
                    + "360311370547754724604639987588046985178408674382863125"
            ),
            (
                172_800, 36_113,
                "518501711363636761523446635671842071408503716840080596169052520427799697894973161880400204"
                    + "920323865514123475127159003627499270013336440327955724",
                "894724795187731432876698900668633900833993229113773972757349665842806710485222836093048596"
                    + "559429338655449582596558928804376707291271802804249600"
            ),
        ])
    func long(index: Int, digits: Int, first: String, last: String) throws {
        var fibonacci = Fibonacci()
        for _ in 0..<index { fibonacci.advance() }
        #expect(fibonacci.value == "\(first)…\(last)")
        #expect(fibonacci.digitCount == digits)
        // This is a limit for the size of the stored record. If no digits were dropped, both numbers would have 36,113
        // digits after a day.
        #expect(try JSONEncoder().encode(fibonacci).count < 1_200)
    }

    @Test("a record of a version that kept all digits is read, and the sequence continues")
    func earlierRecord() throws {
        func limbs(_ text: String) -> String {
            stride(from: text.count, to: 0, by: -18).map { end in
                String(UInt64(text.prefix(end).suffix(18)) ?? 0)
            }.joined(separator: ",")
        }
        let (one, two) = (Self.number2000, Self.number2001)
        let record =
            #"{"index":2000,"current":{"limbs":[\#(limbs(one))]},"next":{"limbs":[\#(limbs(two))]}}"#
        var fibonacci = try JSONDecoder().decode(Fibonacci.self, from: Data(record.utf8))
        fibonacci.advance()
        #expect(fibonacci.index == 2_001)
        #expect(fibonacci.value == "\(two.prefix(144))…\(two.suffix(144))")
        #expect(fibonacci.digitCount == two.count)
    }

    private static let number2000 =
        "422469633339230487870672560234148278257985284025068109801028013731430858437013070722412359"
        + "963914151108844608753890960360764019471164359602927198331259873732625355580260699158591522"
        + "949245390499872225679531698287448247299226390183371677806060701161549788671987985831146887"
        + "087626459736908672288402365442229524334796448013951534956297208765265606952980649984197744"
        + "8720155612802665404554171717881930324025204312082516817125"
    private static let number2001 =
        "683570225957580664704539654917058010705540802936552456540755336779808245440805401495453431"
        + "895311380272660372676952344747823819219271452667793994333830610140510541481970566409090181"
        + "363729645376709552810486826470491443352935557914873104468563413548773589795462984251694710"
        + "149425357586969989340097653954574021481981915195208508953842295456514672038375212197211572"
        + "5761141759114990448978941370030912401573418221496592822626"

    @Test("it computes two numbers a second, in the background until the time is up, and continues in front")
    func story() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.completion.start()
            device.advance(seconds: 10)
            #expect(try device.shown.completion.n == 20)
            #expect(try device.shown.completion.value == "6765")
            #expect(try device.shown.completion.remaining == nil)
            device.pressHome()
            device.advance(seconds: 20)
            #expect(try device.shown.completion.n == 60)
            #expect(try device.shown.completion.remaining == 10)
            device.advance(seconds: 600)
            #expect(device.appPhase == .suspended)
            device.open()
            device.advance(seconds: 1)
            let shown = try device.shown.completion
            #expect(shown.n == 74)
            #expect(shown.value == "1304969544928657")
            #expect(shown.expirations == 1)
            #expect(
                shown.story.map { "\($0.at.dropFirst(14)) \($0.text)" } == [
                    "00:00.000Z started",
                    "00:10.000Z in the background at number 20, 30.0 s left",
                    "00:36.000Z time is up at number 71",
                    "10:30.000Z was suspended",
                    "10:30.000Z in front again at number 71",
                ])
        }
    }

    @Test("a short stay in the background is covered, and the background task ends with it")
    func shortStay() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.completion.start()
            device.pressHome()
            device.advance(seconds: 5)
            #expect(device.appPhase == .background)
            device.open()
            device.advance(seconds: 100)
            #expect(try device.shown.completion.n == 210)
            #expect(try device.shown.completion.expirations == 0)
            try device.sleepless.completion.stop()
            device.pressHome()
            device.advance(seconds: 5)
            #expect(device.appPhase == .suspended)
        }
    }

    @Test("what was computed when the user left survives a kill, and the next launch continues")
    func survives() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.completion.start()
            device.advance(seconds: 30)
            device.pressHome()
            device.advance(seconds: 60)
            device.applyMemoryPressure()
            #expect(device.appPhase == nil)
            device.advance(seconds: 600)
            device.open()
            #expect(try device.shown.completion.n == 111)
            device.advance(seconds: 1)
            let shown = try device.shown.completion
            #expect(shown.n == 113)
            #expect(shown.value == "184551825793033096366333")
            #expect(shown.story.last?.text == "launched again at number 111")
        }
    }

    @Test("where no time is given, it winds up at once and waits")
    func refused() throws {
        var policy = SystemPolicy()
        policy.givesInvalidBackgroundTasks = true
        try SimulatedDevice.run(policy: policy) { device in
            device.installSleepless()
            device.open()
            try device.sleepless.completion.start()
            device.advance(seconds: 2)
            device.pressHome()
            device.advance(seconds: 60)
            #expect(device.appPhase == .suspended)
            device.open()
            device.advance(seconds: 1)
            #expect(try device.shown.completion.n == 6)
            #expect(try device.shown.completion.expirations == 1)
        }
    }
}
