import ApusClient
import ApusJobs
import ApusTimers

/// The picture of `apus top` as lines, which are computed only from a snapshot, the size and the instant.
struct TopFrame {
    /// A part of a line in one colour.
    struct Span: Hashable {
        var text: String
        var colour: Colour?
    }

    struct Size: Hashable, Sendable {
        /// The width; `nil` for as many columns as the lines need.
        var columns: Int?
        /// The height; `nil` for the number of lines.
        var rows: Int?
    }

    private struct Section {
        var title: String
        /// The rows of cells; the last cell of each row takes the rest of the line.
        var rows: [[Span]]
        /// The number of rows before the section is cut to the first ones that fit.
        var count: Int
        /// The number of rows that the section would have if all jobs had been read; at least ``count``.
        var all: Int
    }

    /// Lays out a frame.
    ///
    /// - Parameters:
    ///   - snapshot: the snapshot to show.
    ///   - size: the available space; no line is longer than its columns, and there are no more lines than its rows.
    ///   - now: the instant to which durations refer.
    ///   - trouble: the reason why the snapshot may be old, which is shown in place of the daemon's state.
    ///   - isLive: whether keys are read.
    /// - Returns: the lines.
    static func lines(
        _ snapshot: TopSnapshot, size: Size, now: WallInstant, trouble: String? = nil, isLive: Bool = false
    ) -> [[Span]] {
        let room = size.rows.map { max(0, $0 - 2) } ?? .max
        let sections = fitted(sections(snapshot, now: now), room: room)
        var lines = [header(snapshot, now: now, trouble: trouble), counts(snapshot.counts, isLive: isLive)]
        if snapshot.jobs.isEmpty, snapshot.ended.isEmpty, room >= 2 {
            lines += [[], [Span(text: "nothing is scheduled", colour: .dim)]]
        }
        for section in sections { lines += [[]] + laidOut(section) }
        return lines.prefix(size.rows ?? .max).map { clipped($0, to: size.columns ?? .max) }
    }

    // MARK: - The parts

    private static func header(_ snapshot: TopSnapshot, now: WallInstant, trouble: String?) -> [Span] {
        let daemon = snapshot.daemon
        let name = Span(text: "apus \(escaped(daemon.version))  ", colour: .bold)
        if let trouble { return [name, Span(text: escaped(trouble), colour: .red)] }
        let up = elapsed(since: daemon.started, now: now).map { ", up \($0)" } ?? ""
        return [name, Span(text: "process \(daemon.pid)\(up), home \(escaped(daemon.home))", colour: .dim)]
    }

    private static func counts(_ counts: TopSnapshot.Counts, isLive: Bool) -> [Span] {
        let plus = counts.truncated ? "+" : ""
        let parts: [(Int, String, Colour)] = [
            (counts.running, plus + " running", .green), (counts.waiting, plus + " waiting", .yellow),
            (counts.failing, " failing", .red), (counts.suspended, " suspended", .yellow),
            (counts.jobs, counts.jobs == 1 ? " job" : " jobs", .bold),
        ]
        let gap = Span(text: "   ", colour: nil)
        return parts.flatMap { [Span(text: "\($0)\($1)", colour: $0 > 0 ? $2 : .dim), gap] }
            + (isLive ? [Span(text: "q: quit", colour: .dim)] : [])
    }

    private static func sections(_ snapshot: TopSnapshot, now: WallInstant) -> [Section] {
        func name(_ run: WireRun) -> Span {
            Span(text: escaped(snapshot.names[run.job] ?? run.job), colour: .bold)
        }
        let running = snapshot.running.map { run in
            [
                name(run), Span(text: History.attempt(run), colour: nil),
                Span(text: run.started.flatMap { elapsed(since: $0, now: now) } ?? "-", colour: .green),
            ]
        }
        let next = snapshot.next.map { start in
            [
                Span(text: escaped(start.name ?? start.job), colour: .bold),
                Span(text: relative(start.due, now: now), colour: nil),
            ]
        }
        let ended = snapshot.ended.map { run in
            [
                name(run), Span(text: History.attempt(run), colour: nil),
                Span(text: run.outcome, colour: Colour.of(outcome: run.outcome)),
                Span(text: took(run), colour: nil),
                Span(text: run.finished.map { relative($0, now: now) } ?? "-", colour: nil),
                Span(text: run.reason == run.outcome ? "" : escaped(run.reason ?? ""), colour: .dim),
            ]
        }
        let jobs = snapshot.jobs.map { job in
            [
                Span(text: escaped(job.name ?? job.id), colour: .bold),
                Span(text: List.state(job), colour: job.state == "suspended" ? .yellow : nil),
                Span(text: job.nextDue.map { relative($0, now: now) } ?? "-", colour: nil),
                Span(text: job.lastRun?.outcome ?? "-", colour: job.lastRun.map { Colour.of(outcome: $0.outcome) }),
                Span(text: escaped(job.actionText), colour: .dim),
            ]
        }
        return [("RUNNING", running), ("NEXT", next), ("ENDED", ended), ("JOBS", jobs)]
            .filter { !$0.1.isEmpty }.map { title, rows in
                let all = title == "JOBS" ? max(rows.count, snapshot.counts.jobs) : rows.count
                return Section(title: title, rows: rows, count: rows.count, all: all)
            }
    }

    // MARK: - The layout

    /// Returns the first sections that have room for an empty line, a title and a row, with as many rows as fit.
    ///
    /// Each section gets one more row in turn, until it has all of its rows.
    private static func fitted(_ sections: [Section], room: Int) -> [Section] {
        var sections = Array(sections.prefix(room / 3))
        var left = max(0, room - 3 * sections.count)
        var given = sections.map { _ in 1 }
        while left > 0, zip(sections, given).contains(where: { $0.count > $1 }) {
            for index in sections.indices where left > 0 && given[index] < sections[index].count {
                given[index] += 1
                left -= 1
            }
        }
        for index in sections.indices { sections[index].rows = Array(sections[index].rows.prefix(given[index])) }
        return sections
    }

    /// Returns the title, which says how many of the rows are shown, and the rows in columns.
    private static func laidOut(_ section: Section) -> [[Span]] {
        let shown = "\(section.rows.count) of \(section.all)"
        let title =
            if section.all > section.count {
                "\(section.title) (\(shown), from the \(section.count) that were submitted first)"
            } else if section.count > section.rows.count { "\(section.title) (\(shown))" } else { section.title }
        let columns = section.rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in section.rows.map { $0[column].text.count }.max() ?? 0 }
        return [[Span(text: title, colour: .dim)]]
            + section.rows.map { row in
                row.enumerated().flatMap { column, cell in
                    let padding = column == columns - 1 ? 0 : widths[column] - cell.text.count + 2
                    return [cell, Span(text: String(repeating: " ", count: padding), colour: nil)]
                }
            }
    }

    /// Returns the line cut to a width, without spaces at its end; an ellipsis stands for the rest.
    private static func clipped(_ line: [Span], to width: Int) -> [Span] {
        var spans = line.filter { !$0.text.isEmpty }
        while let last = spans.last, last.text.allSatisfy({ $0 == " " }) { spans.removeLast() }
        guard spans.reduce(0, { $0 + $1.text.count }) > width else { return spans }
        var left = max(0, width - 1)
        var result: [Span] = []
        for span in spans where left > 0 {
            result.append(Span(text: String(span.text.prefix(left)), colour: span.colour))
            left -= min(left, span.text.count)
        }
        return width > 0 ? result + [Span(text: "…", colour: .dim)] : []
    }

    // MARK: - Texts

    private static func escaped(_ text: String) -> String { PrintableText.escaped(text) }

    /// Returns a duration in whole seconds, because the frame is drawn only once a second.
    private static func text(_ duration: Duration) -> String {
        DurationText.format(When.rounded(.seconds(max(0, duration.components.seconds))))
    }

    private static func elapsed(since text: String, now: WallInstant) -> String? {
        When.instant(text).map { Self.text($0.duration(to: now)) }
    }

    private static func relative(_ text: String, now: WallInstant) -> String {
        guard let instant = When.instant(text) else { return "-" }
        let distance = now.duration(to: instant)
        if distance >= .seconds(1) { return "in \(Self.text(distance))" }
        return distance > .seconds(-1) ? "now" : "\(Self.text(.zero - distance)) ago"
    }

    private static func took(_ run: WireRun) -> String {
        guard let started = run.started.flatMap(When.instant), let finished = run.finished.flatMap(When.instant)
        else { return "-" }
        return DurationText.format(When.rounded(max(.zero, started.duration(to: finished))))
    }
}

extension TopFrame.Span {
    /// The part as it is written, in its colour if colours are used.
    var shown: TerminalText { colour.map { $0(text) } ?? "\(text)" }
}
