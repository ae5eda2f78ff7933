import ApusBackground
import ApusTimers
import Testing

@testable import ApusLinux

/// The machine with a clock and with the commands that mpv would get.
private struct Bench {
    var machine = MPVMachine(directory: "/sounds")
    var now = UptimeInstant(nanoseconds: 1_000_000_000_000)
    /// Everything that came out, in order, since the last look.
    private var actions: [MPVMachine.Action] = []
    /// The numbers of what was sent last, by its words.
    private var numbers: [String: Int] = [:]

    init(_ items: [AudioItem] = []) {
        take(machine.setQueue(items, now: now))
    }

    private mutating func take(_ new: [MPVMachine.Action]) {
        actions += new
        for case .send(let command, let number) in new { numbers["\(command)"] = number }
    }

    mutating func play(_ number: Int = 1) { take(machine.play(number, now: now)) }
    mutating func pause() { take(machine.pause(now: now)) }
    mutating func next() { take(machine.next(now: now)) }
    mutating func setQueue(_ items: [AudioItem]) { take(machine.setQueue(items, now: now)) }
    mutating func lose(_ loss: MPVMachine.Loss) { take(machine.lost(loss, now: now)) }
    mutating func hear(_ messages: MPVMessage...) {
        for message in messages { take(machine.received(message, now: now)) }
    }
    mutating func answer(_ command: MPVCommand, _ result: MPVMessage.Result) {
        hear(.answer(numbers["\(command)"] ?? -1, result))
    }
    mutating func pass(_ duration: Duration) { now = now.advanced(by: duration) }

    /// The commands that were sent to mpv since the last look, without queries.
    mutating func sent() -> [MPVCommand] {
        defer { actions = [] }
        return actions.compactMap {
            if case .send(let command, _) = $0, command != .getPosition { command } else { nil }
        }
    }
    mutating func others() -> [MPVMachine.Action] {
        defer { actions = [] }
        return actions.filter { if case .send = $0 { false } else { true } }
    }

    var position: Duration { machine.position(now: now) }
}

private let first = AudioItem(id: "1", title: "One", source: "/music/1.ogg")
private let second = AudioItem(id: "2", title: "Two", source: "2.ogg")
private let third = AudioItem(id: "3", title: "Three", source: "https://radio.example/3")

private func file(_ item: AudioItem) -> MPVCommand.AudioFile {
    .init(source: item == second ? "/sounds/2.ogg" : item.source, title: item.title)
}

/// Both items are known to mpv, as entries 1 and 2, and the first one plays.
private func playing(_ items: [AudioItem]) -> Bench {
    var bench = Bench(items)
    bench.play()
    bench.answer(.load(file(items[0]), start: .zero), .entry(1))
    if items.count > 1 { bench.answer(.append(file(items[1])), .entry(2)) }
    bench.hear(.started(entry: 1), .restarted, .coreIdle(false))
    return bench
}

@Suite("The machine of a player that uses mpv")
struct MPVMachineTests {
    @Test("the first play starts mpv, loads the item and the one after it, and is over when mpv has answered")
    func firstPlay() {
        var bench = Bench([first, second, third])
        #expect(bench.others() == [])
        #expect(bench.machine.state == AudioState(current: first, upcoming: [second, third]))
        bench.play(7)
        var copy = bench
        #expect(copy.others() == [.launch])
        #expect(
            bench.sent() == [
                .observeCoreIdle, .load(file(first), start: .zero), .append(file(second)), .setPause(false),
            ])
        #expect(bench.machine.state == AudioState(current: first, isPlaying: true, upcoming: [second, third]))
        bench.answer(.setPause(false), .done)
        #expect(bench.others() == [.finishPlay(7, nil)])
    }

    @Test("without an item, and while it plays, play does nothing")
    func needlessPlay() {
        var bench = Bench()
        bench.play(1)
        #expect(bench.others() == [.finishPlay(1, nil)])
        bench = playing([first])
        _ = bench.sent()
        bench.play(2)
        var copy = bench
        #expect(copy.sent() == [])
        #expect(bench.others() == [.finishPlay(2, nil)])
    }

    @Test("at an item's end the next one is the current one, and the one after it is loaded")
    func nextItem() {
        var bench = playing([first, second, third])
        _ = bench.sent()
        bench.pass(.seconds(60))
        bench.hear(.ended(entry: 1, .played), .started(entry: 2))
        #expect(bench.machine.state == AudioState(current: second, isPlaying: true, upcoming: [third]))
        #expect(bench.position == .zero)
        #expect(bench.sent() == [.append(file(third))])
    }

    @Test("after the last item the queue is empty and nothing plays")
    func endOfQueue() {
        var bench = playing([first, second])
        bench.hear(.ended(entry: 1, .played), .started(entry: 2), .ended(entry: 2, .played))
        #expect(bench.machine.state == AudioState())
        #expect(bench.position == .zero)
    }

    @Test("an item that cannot be played is reported and skipped; the next one plays")
    func skips() {
        var bench = playing([first, second, third])
        _ = bench.others()
        bench.hear(.ended(entry: 1, .failed("no such file")), .started(entry: 2))
        #expect(bench.others() == [.report(.skipped(first, reason: "no such file"))])
        #expect(bench.machine.state == AudioState(current: second, isPlaying: true, upcoming: [third]))
    }

    @Test("a queue of which nothing can be played is over")
    func skipsAll() {
        var bench = playing([first, second])
        bench.hear(
            .ended(entry: 1, .failed("a")), .started(entry: 2), .ended(entry: 2, .failed("b")))
        #expect(bench.machine.state == AudioState())
        #expect(
            bench.others().suffix(2) == [
                .report(.skipped(first, reason: "a")), .report(.skipped(second, reason: "b")),
            ])
    }

    @Test("an item that mpv does not take is skipped, whichever it is")
    func refused() {
        var bench = Bench([first, second, third])
        bench.play()
        _ = bench.others()
        bench.answer(.load(file(first), start: .zero), .failed("invalid parameter"))
        bench.answer(.append(file(second)), .failed("invalid parameter"))
        var copy = bench
        #expect(
            copy.others() == [
                .report(.skipped(first, reason: "invalid parameter")),
                .report(.skipped(second, reason: "invalid parameter")),
            ])
        #expect(bench.sent() == [.append(file(third))])
        bench.answer(.append(file(third)), .entry(3))
        bench.hear(.started(entry: 3))
        #expect(bench.machine.state == AudioState(current: third, isPlaying: true))
    }

    @Test("when nothing is left after refusals, the queue is over")
    func refusedAll() {
        var bench = Bench([first, second])
        bench.play()
        bench.answer(.load(file(first), start: .zero), .failed("a"))
        #expect(bench.machine.state.isPlaying)
        bench.answer(.append(file(second)), .failed("b"))
        #expect(bench.machine.state == AudioState())
    }

    @Test("without a sound device it pauses, keeps the queue, and tries again with the next play")
    func noOutput() {
        var bench = playing([first, second])
        bench.hear(.coreIdle(true))
        _ = bench.others()
        bench.hear(.ended(entry: 1, .failed("audio output initialization failed")), .started(entry: 2))
        var copy = bench
        #expect(copy.others() == [.report(.noOutput(first, reason: "audio output initialization failed"))])
        #expect(bench.sent() == [.stop])
        #expect(bench.machine.state == AudioState(current: first, isPlaying: false, upcoming: [second]))
        bench.play(2)
        #expect(bench.sent() == [.load(file(first), start: .zero), .append(file(second)), .setPause(false)])
    }

    @Test("the entries of a playlist are one item")
    func playlist() {
        var bench = playing([first, second])
        bench.hear(.ended(entry: 1, .replaced(by: 5..<7)), .started(entry: 5), .ended(entry: 5, .played))
        bench.hear(.started(entry: 6))
        #expect(bench.machine.state.current == first)
        bench.hear(.ended(entry: 6, .played), .started(entry: 2))
        #expect(bench.machine.state.current == second)
    }

    @Test("the last item may be a playlist too")
    func lastPlaylist() {
        var bench = playing([first])
        bench.hear(.ended(entry: 1, .replaced(by: 2..<4)), .started(entry: 2), .ended(entry: 2, .played))
        #expect(bench.machine.state.isPlaying)
        bench.hear(.started(entry: 3), .ended(entry: 3, .played))
        #expect(bench.machine.state == AudioState())
    }

    @Test("next skips at once, and late messages of mpv about the item before do not count")
    func next() {
        var bench = playing([first, second, third])
        _ = bench.sent()
        bench.next()
        #expect(bench.machine.state == AudioState(current: second, isPlaying: true, upcoming: [third]))
        #expect(bench.sent() == [.load(file(second), start: .zero), .append(file(third))])
        // As if the first had ended by itself meanwhile.
        bench.hear(.ended(entry: 1, .played), .started(entry: 2))
        #expect(bench.machine.state.current == second)
        bench.answer(.load(file(second), start: .zero), .entry(3))
        bench.answer(.append(file(third)), .entry(4))
        bench.hear(.ended(entry: 2, .stopped), .started(entry: 3), .ended(entry: 3, .played), .started(entry: 4))
        #expect(bench.machine.state == AudioState(current: third, isPlaying: true))
    }

    @Test("an answer about what was replaced does not count")
    func lateAnswer() {
        var bench = Bench([first, second, third])
        bench.play()
        bench.next()
        // The first command was to observe, the next two to load the items.
        bench.hear(.answer(2, .entry(1)), .answer(3, .entry(2)), .started(entry: 1), .ended(entry: 1, .stopped))
        bench.hear(.started(entry: 2), .ended(entry: 2, .stopped))
        #expect(bench.machine.state == AudioState(current: second, isPlaying: true, upcoming: [third]))
    }

    @Test("next at the last item is the end of the queue; a paused player stays paused")
    func nextAtTheEnd() {
        var bench = playing([first])
        _ = bench.sent()
        bench.next()
        #expect(bench.machine.state == AudioState())
        #expect(bench.sent() == [.stop])
        bench.next()
        #expect(bench.sent() == [])

        bench = Bench([first, second])
        bench.next()
        #expect(bench.sent() == [])
        #expect(bench.machine.state == AudioState(current: second))
    }

    @Test("a paused player that skips plays the next item from its beginning")
    func nextWhilePaused() {
        var bench = playing([first, second])
        bench.pass(.seconds(5))
        bench.pause()
        _ = bench.sent()
        bench.next()
        #expect(bench.sent() == [.stop])
        #expect(bench.position == .zero)
        bench.play(2)
        #expect(bench.sent() == [.load(file(second), start: .zero), .setPause(false)])
    }

    @Test("the position runs while sound comes, stands at a pause, and follows mpv")
    func position() {
        var bench = Bench([first])
        bench.play()
        bench.pass(.seconds(3))
        #expect(bench.position == .zero, "nothing has been heard yet")
        bench.answer(.load(file(first), start: .zero), .entry(1))
        bench.hear(.started(entry: 1), .coreIdle(false))
        bench.pass(.seconds(10))
        #expect(bench.position == .seconds(10))
        bench.answer(.getPosition, .position(.seconds(9)))
        #expect(bench.position == .seconds(9))
        bench.hear(.coreIdle(true))
        bench.pass(.seconds(4))
        #expect(bench.position == .seconds(9), "a stream that has to wait for the network")
        bench.hear(.coreIdle(false))
        bench.pass(.seconds(1))
        #expect(bench.position == .seconds(10))
        bench.pause()
        bench.pass(.seconds(100))
        #expect(bench.position == .seconds(10))
        bench.play(2)
        bench.pass(.seconds(1))
        #expect(bench.position == .seconds(11), "mpv need not report a pause that was over at once")
    }

    @Test("another queue is at its beginning, and does not play")
    func setQueue() {
        var bench = playing([first, second])
        bench.pass(.seconds(5))
        _ = bench.sent()
        bench.setQueue([third])
        #expect(bench.sent() == [.stop])
        #expect(bench.machine.state == AudioState(current: third))
        #expect(bench.position == .zero)
        bench.hear(.ended(entry: 1, .stopped), .started(entry: 2), .ended(entry: 2, .played))
        #expect(bench.machine.state == AudioState(current: third))
    }

    @Test("when mpv dies, it is paused where it was; play starts another one there")
    func dies() {
        var bench = playing([first, second])
        bench.pass(.seconds(12))
        _ = bench.others()
        bench.lose(.ended)
        // The first play was never answered here.
        #expect(bench.others() == [.report(.lost(.ended, wasPlaying: true)), .finishPlay(1, .ended)])
        #expect(bench.machine.state == AudioState(current: first, isPlaying: false, upcoming: [second]))
        #expect(!bench.machine.awaitsAnswer)
        bench.pass(.seconds(100))
        #expect(bench.position == .seconds(12))
        bench.play(2)
        var copy = bench
        #expect(copy.others() == [.launch])
        #expect(
            bench.sent() == [
                .observeCoreIdle, .load(file(first), start: .seconds(12)), .append(file(second)), .setPause(false),
            ])
    }

    @Test("a death is reported once, and pausing or skipping without mpv sends and reports nothing")
    func dead() {
        var bench = playing([first, second])
        bench.lose(.silent)
        _ = bench.others()
        bench.lose(.ended)
        bench.pause()
        bench.next()
        bench.setQueue([third])
        var copy = bench
        #expect(copy.sent() == [])
        #expect(bench.others() == [])
    }
}
