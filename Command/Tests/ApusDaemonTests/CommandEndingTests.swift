import ApusTimers
import Foundation
import Testing

@testable import ApusClient
@testable import ApusDaemon

private func at(_ seconds: Double) -> UptimeInstant {
    UptimeInstant(nanoseconds: 1_000_000_000).advanced(by: .seconds(seconds))
}

private func entry(_ process: Int32, group: Int32 = 7) -> ProcessEntry {
    ProcessEntry(process: process, group: group, session: 7, threads: 1, token: "t")
}

@Suite("The ending of a command")
struct CommandEndingTests {
    private func look(
        _ left: [ProcessEntry], exited: Bool = false, closed: Bool = false
    ) -> CommandEnding.Look {
        .init(left: left, hasExited: exited, isOutputClosed: closed)
    }

    @Test("a command's group gets SIGTERM first, then each process outside it once, and after the grace all are killed")
    func order() {
        var ending = CommandEnding(leader: 7, patience: .seconds(5), now: at(0))
        #expect(ending.begin(hasExited: false) == [.init(isKill: false, target: .group)])
        let all = [entry(7), entry(8), entry(9, group: 9)]
        #expect(ending.looked(look(all), now: at(0)).signals == [.init(isKill: false, target: .process(9))])
        #expect(ending.looked(look(all), now: at(1)).signals.isEmpty)
        // The leader has ended; the others of its group have already been signalled.
        #expect(ending.looked(look([entry(8), entry(9, group: 9)], exited: true), now: at(4)).signals.isEmpty)
        let (signals, next) = ending.looked(look([entry(8), entry(9, group: 9)], exited: true), now: at(5))
        #expect(signals == [.init(isKill: true, target: .process(8)), .init(isKill: true, target: .process(9))])
        #expect(next == .look(.milliseconds(2)))
        #expect(ending.looked(look([], exited: true, closed: true), now: at(5.1)).next == .gone)
    }

    @Test("a group whose leader has ended is not signalled by its number, which may have been reused")
    func leaderless() {
        var ending = CommandEnding(leader: 7, patience: .seconds(5), now: at(0))
        #expect(ending.begin(hasExited: true).isEmpty)
        let (signals, _) = ending.looked(look([entry(8)], exited: true), now: at(0))
        #expect(signals == [.init(isKill: false, target: .process(8))])
        #expect(
            ending.looked(look([entry(8)], exited: true), now: at(5)).signals == [
                .init(isKill: true, target: .process(8))
            ])
    }

    @Test("a process that SIGKILL does not end is given up after a while")
    func remains() {
        var ending = CommandEnding(leader: 7, patience: .zero, now: at(0))
        _ = ending.begin(hasExited: false)
        #expect(
            ending.looked(look([entry(7)]), now: at(0)).signals == [.init(isKill: true, target: .group)])
        #expect(ending.looked(look([entry(7)]), now: at(2)).next == .remains)
    }

    @Test("an output that no process of the command holds is read to its end or for two seconds")
    func drained() {
        var ending = CommandEnding(leader: 7, patience: .seconds(5), now: at(0))
        _ = ending.begin(hasExited: false)
        #expect(ending.looked(look([], exited: true), now: at(1)).next == .look(.milliseconds(2)))
        #expect(ending.looked(look([], exited: true), now: at(2.9)).next == .look(.milliseconds(4)))
        #expect(ending.looked(look([], exited: true), now: at(3)).next == .gone)
    }

    @Test("the processes are examined ever more rarely, down to four times a second")
    func pauses() {
        var ending = CommandEnding(leader: 7, patience: .seconds(60), now: at(0))
        _ = ending.begin(hasExited: false)
        let pauses = (0..<9).map { _ in ending.looked(look([entry(7)]), now: at(0)).next }
        #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 250, 250].map { .look(.milliseconds($0)) })
    }

    @Test("a process belongs to a command by its token, or by its session if it has no token")
    func belonging() {
        var process = entry(9, group: 9)
        process.session = 9
        #expect(CommandEnder.belongs(process, leader: 7, token: "t"), "it left the session")
        #expect(!CommandEnder.belongs(process, leader: 9, token: "u"), "another command has the number now")
        process.token = nil
        #expect(!CommandEnder.belongs(process, leader: 7, token: "t"))
        process.session = 7
        #expect(CommandEnder.belongs(process, leader: 7, token: "t"), "it cleared its environment")
    }

    @Test("a line of /proc/PID/stat is read whatever the program's name is, and zombies are left out")
    func stat() {
        func line(_ state: String) -> String {
            "42 (a) b (c) \(state) 1 40 39 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 100 200\n"
        }
        let entry = ProcessTable.parse(line("S"), process: 42)
        #expect(entry == ProcessEntry(process: 42, group: 40, session: 39, threads: 3, token: nil))
        #expect(ProcessTable.parse(line("Z"), process: 42) == nil)
        #expect(ProcessTable.parse("", process: 42) == nil && ProcessTable.parse("42 (x", process: 42) == nil)
    }

    @Test("a command whose task is cancelled before its turn is not started")
    func cancelledBefore() async throws {
        let starts = CommandStarts()
        let launch = CommandLaunch(argv: ["/bin/true"], environment: [:], folder: "/", mask: 0o022)
        let isStarted = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await starts.start(launch) { _ in } != nil
        }.value
        #expect(!isStarted)
    }

    @Test("only an error of an exhausted, renewable resource is retried")
    func shortages() {
        for code in [EMFILE, ENFILE, EAGAIN, ENOMEM] {
            #expect(CommandLaunchError(step: .fork, code: code, subject: "a").isShortage)
            #expect(CommandLaunchError(step: .fork, code: code, subject: "a").description.hasPrefix("waits for "))
        }
        for code in [ENOENT, EACCES, ENOEXEC, E2BIG, EINVAL] {
            #expect(!CommandLaunchError(step: .execute, code: code, subject: "a").isShortage)
        }
    }
}
