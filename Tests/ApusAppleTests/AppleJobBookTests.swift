import ApusBackground
import ApusTimers
import Testing

@testable import ApusApple

@Suite("What Apus knows of the jobs of a process")
struct AppleJobBookTests {
    private let refresh = BackgroundJobRequest("x", .refresh)
    private let continued = BackgroundJobRequest("x", .continued(ContinuedJob(title: "Export")))

    @Test("a handler registered during the launch is passed to the system, and any request can follow")
    func early() {
        var book = AppleJobBook(isLaunchOver: false)
        #expect(book.submit(refresh) == .notRegistered)
        #expect(book.register("x", { _ in }) == .giveToSystem)
        #expect(book.register("x", { _ in }) == .alreadyRegistered)
        book.launchEnded()
        #expect(book.submit(refresh) == .submit)
        #expect(book.submit(continued) == .submit)
    }

    @Test("a handler registered after the launch is kept until continued work is submitted")
    func late() {
        var book = AppleJobBook(isLaunchOver: true)
        #expect(book.register("x", { _ in }) == .keep)
        #expect(book.register("x", { _ in }) == .alreadyRegistered)
        #expect(book.submit(refresh) == .registeredTooLate)
        #expect(book.submit(BackgroundJobRequest("x", .processing())) == .registeredTooLate)
        #expect(book.submit(continued) == .giveToSystemFirst)
        #expect(book.submit(continued) == .giveToSystemFirst, "nothing was said of its having been taken")
        book.givenToSystem("x")
        #expect(book.submit(continued) == .submit)
    }

    @Test("a handler that the system refuses can be registered again")
    func withdrawn() {
        var book = AppleJobBook(isLaunchOver: false)
        #expect(book.register("x", { _ in }) == .giveToSystem)
        #expect(book.withdraw("x") != nil)
        #expect(book.submit(refresh) == .notRegistered)
        #expect(book.register("x", { _ in }) == .giveToSystem)
    }

    @Test("a run gets its submitted request once, if the kinds are equal")
    func originals() {
        var book = AppleJobBook(isLaunchOver: false)
        _ = book.register("x", { _ in })
        let request = BackgroundJobRequest("x", .refresh, earliestBegin: WallInstant(nanoseconds: 1_234))
        book.submitted(request)
        #expect(book.original(of: refresh) == request)
        #expect(book.original(of: continued) == continued)
        #expect(book.launched("x")?.request == request)
        #expect(book.isRunning("x"))
        #expect(book.launched("x")?.request == nil)
        book.completed("x")
        #expect(book.isRunning("x"), "one of two")
        book.completed("x")
        #expect(!book.isRunning("x"))
        #expect(book.launched("y") == nil)
    }
}
