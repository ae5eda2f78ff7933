import ApusBackground
import ApusTimers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DeviceTimeline {
    /// The timeline as an HTML page: a table of the waits of each background job, and below it the lanes.
    ///
    /// The mouse wheel and the keys `+`, `-`, left and right zoom and move the lanes. The page loads nothing and needs
    /// no server.
    public var html: String {
        let lanes = lanes.map { lane in
            PageLane(
                name: lane.name,
                spans: lane.spans.map { PageSpan(s: $0.start.inSeconds, e: $0.end.inSeconds, l: $0.label, k: $0.kind) },
                marks: lane.marks.map { PageMark(t: $0.position.inSeconds, l: $0.label, k: $0.kind) })
        }
        let page = Page(
            start: Double(start.nanoseconds) / 1e9, duration: duration.inSeconds, lanes: lanes)
        // "</" would end the script element.
        let data = Self.json(page).replacing("</", with: "<\\/")
        return TimelinePage.text(title: "Timeline from \(start.iso8601)", waits: waitTable, data: data)
    }

    private var waitTable: String {
        guard !waits.isEmpty else { return "<p>No background job has waited.</p>" }
        let rows = waits.map { wait in
            "<tr><td>\(Self.escaped(wait.identifier))</td><td>\(Self.escaped(wait.reason))</td>"
                + "<td class=\"number\">\(Self.words(for: wait.duration))</td></tr>"
        }
        return """
            <table><thead><tr><th>Job</th><th>waited for</th><th class="number">in total</th></tr></thead>
            <tbody>\(rows.joined(separator: "\n"))</tbody></table>
            """
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    /// Returns a duration in its two largest units, such as "3 d 4 h".
    static func words(for duration: Duration) -> String {
        let seconds = duration.components.seconds
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
        if days > 0 { return "\(days) d \(hours) h" }
        if hours > 0 { return "\(hours) h \(minutes) min" }
        return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
    }

    // The names are short, because the log of a month has tens of thousands of entries.
    private struct Page: Encodable {
        let start: Double
        let duration: Double
        let lanes: [PageLane]
    }

    private struct PageLane: Encodable {
        let name: String
        let spans: [PageSpan]
        let marks: [PageMark]
    }

    private struct PageSpan: Encodable {
        let s: Double
        let e: Double
        let l: String
        let k: Kind
    }

    private struct PageMark: Encodable {
        let t: Double
        let l: String
        let k: Kind
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        let (seconds, attoseconds) = components
        return (Double(seconds) * 1_000 + (Double(attoseconds) / 1e15).rounded()) / 1_000
    }
}

/// The HTML page around a timeline's data.
enum TimelinePage {
    static func text(title: String, waits: String, data: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title)</title>
        <style>\(style)</style>
        </head>
        <body>
        <h1>\(title)</h1>
        <h2>What background jobs waited for</h2>
        <div class="table">\(waits)</div>
        <h2>What happened</h2>
        <p class="legend">\(legend)</p>
        <div class="controls">
        <button id="in">Zoom in</button> <button id="out">Zoom out</button> <button id="all">Show all</button>
        <output id="range"></output>
        </div>
        <canvas id="lanes" tabindex="0" role="img" aria-label="Lanes of spans and marks over time; the table above \
        lists what jobs waited for"></canvas>
        <p id="detail" aria-live="polite">Point at a span or a mark to read its description.</p>
        <script type="application/json" id="data">\(data)</script>
        <script>\(script)</script>
        </body>
        </html>

        """
    }

    private static let legend =
        DeviceTimeline.Kind.allCases
        .map { "<span class=\"key\"><i class=\"\($0.rawValue)\"></i>\($0.rawValue)</span>" }.joined(separator: " ")

    private static let style = """
        :root { color-scheme: light dark; --ink: light-dark(#1b1f24, #e8eaed); --paper: light-dark(#fff, #15181c);
          --faint: light-dark(#57606a, #a4adb8); --line: light-dark(#d0d7de, #3a4048); --active: light-dark(#1a7f37, #3fb950);
          --inactive: light-dark(#8fcf9f, #2b6a3a); --background: light-dark(#bf8700, #d29922);
          --suspended: light-dark(#c8ccd1, #4a515a); --waiting: light-dark(#a9c7f5, #2d4f80);
          --running: light-dark(#0969da, #58a6ff); --failed: light-dark(#cf222e, #f85149);
          --event: light-dark(#57606a, #a4adb8); --warning: light-dark(#9a6700, #d29922);
          --fault: light-dark(#cf222e, #f85149); }
        body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 1rem auto;
          max-width: 1400px; padding: 0 1rem; }
        h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 1.5rem; }
        .table { overflow-x: auto; } table { border-collapse: collapse; }
        th, td { text-align: left; padding: .2rem .9rem .2rem 0; border-bottom: 1px solid var(--line);
          vertical-align: top; }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .key { display: inline-block; margin-right: .9rem; color: var(--faint); }
        .key i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .3em; }
        \(DeviceTimeline.Kind.allCases.map { ".\($0.rawValue) { background: var(--\($0.rawValue)); }" }.joined(separator: " "))
        .controls { display: flex; gap: .5rem; align-items: center; flex-wrap: wrap; margin-bottom: .5rem; }
        button { font: inherit; padding: .2rem .7rem; } output, #detail { color: var(--faint); }
        canvas { width: 100%; display: block; border: 1px solid var(--line); border-radius: 6px; cursor: grab;
          touch-action: pan-y; }
        #detail { min-height: 3em; }
        """

    private static let script = """
        'use strict';
        const page = JSON.parse(document.getElementById('data').textContent);
        const canvas = document.getElementById('lanes'), range = document.getElementById('range');
        const detail = document.getElementById('detail'), rowHeight = 34, axis = 24;
        const total = Math.max(page.duration, 1);
        let from = 0, to = total, gutter = 170;
        // A canvas takes no light-dark(): the colour is read from an element that has it.
        const probe = document.body.appendChild(document.createElement('span'));
        probe.hidden = true;
        function colour(name) {
          probe.style.color = 'var(--' + name + ')';
          return getComputedStyle(probe).color;
        }
        const two = number => String(number).padStart(2, '0');
        function clock(seconds, precise) {
          const date = new Date((page.start + seconds) * 1000);
          const day = date.getUTCFullYear() + '-' + two(date.getUTCMonth() + 1) + '-' + two(date.getUTCDate());
          const time = two(date.getUTCHours()) + ':' + two(date.getUTCMinutes());
          return precise ? day + ' ' + time + ':' + two(date.getUTCSeconds()) : to - from > 172800 ? day : time;
        }
        function length(seconds) {
          if (seconds < 60) return Math.round(seconds * 10) / 10 + ' s';
          if (seconds < 3600) return Math.floor(seconds / 60) + ' min ' + Math.round(seconds % 60) + ' s';
          return Math.floor(seconds / 3600) + ' h ' + Math.round(seconds % 3600 / 60) + ' min';
        }
        const order = ['suspended', 'waiting', 'background', 'inactive', 'active', 'running', 'failed'];
        const steps = [1, 5, 15, 60, 300, 900, 3600, 10800, 21600, 86400, 172800, 604800];
        function draw() {
          const width = canvas.clientWidth, height = axis + page.lanes.length * rowHeight;
          const scale = window.devicePixelRatio || 1;
          gutter = width < 600 ? 90 : 170;
          canvas.width = width * scale; canvas.height = height * scale; canvas.style.height = height + 'px';
          const pen = canvas.getContext('2d'), colours = {};
          const ink = name => colours[name] ??= colour(name);
          pen.scale(scale, scale);
          pen.font = '12px system-ui, sans-serif'; pen.textBaseline = 'middle';
          const x = time => gutter + (time - from) / (to - from) * (width - gutter);
          const step = steps.find(step => (to - from) / step < (width - gutter) / 90) || steps[steps.length - 1];
          const offset = ((page.start % step) + step) % step;
          for (let tick = Math.ceil((from + offset) / step) * step - offset; tick <= to; tick += step) {
            pen.fillStyle = ink('line'); pen.fillRect(x(tick), axis, 1, height - axis);
            pen.fillStyle = ink('faint'); pen.fillText(clock(tick), x(tick) + 3, axis / 2);
          }
          page.lanes.forEach((lane, row) => {
            const top = axis + row * rowHeight;
            pen.fillStyle = ink('line'); pen.fillRect(0, top, width, 1);
            pen.save(); pen.beginPath(); pen.rect(gutter, top, width - gutter, rowHeight); pen.clip();
            // What is short stands out of what lasts.
            for (const span of lane.spans.toSorted((a, b) => order.indexOf(a.k) - order.indexOf(b.k))) {
              if (span.e < from || span.s > to) continue;
              const left = Math.max(x(span.s), gutter), wide = Math.max(x(span.e) - left, 1.5);
              pen.fillStyle = ink(span.k); pen.fillRect(left, top + 6, wide, rowHeight - 12);
            }
            for (const mark of lane.marks) {
              if (mark.t < from || mark.t > to) continue;
              pen.fillStyle = ink(mark.k);
              const at = x(mark.t);
              pen.beginPath(); pen.arc(at, top + rowHeight / 2, mark.k === 'fault' ? 6 : 3, 0, 7); pen.fill();
            }
            pen.restore();
            pen.fillStyle = ink('ink');
            let name = lane.name;
            while (name.length > 4 && pen.measureText(name).width > gutter - 12) name = name.slice(0, -2) + '…';
            pen.fillText(name, 6, top + rowHeight / 2);
          });
          range.textContent = clock(from, true) + ' to ' + clock(to, true);
        }
        function show(left, right) {
          const span = Math.min(Math.max(right - left, 1), total);
          from = Math.min(Math.max(left, 0), total - span); to = from + span;
          draw();
        }
        function zoom(factor, at) { show(at - (at - from) * factor, at + (to - at) * factor); }
        const middle = () => (from + to) / 2;
        const timeAt = event =>
          from + (event.offsetX - gutter) / (canvas.clientWidth - gutter) * (to - from);
        function pointAt(event) {
          const lane = page.lanes[Math.floor((event.offsetY - axis) / rowHeight)];
          if (!lane) return;
          const time = timeAt(event), near = (to - from) / (canvas.clientWidth - gutter) * 6;
          const mark = lane.marks.filter(mark => Math.abs(mark.t - time) < near).pop();
          const span = lane.spans.filter(span => span.s - near / 3 <= time && time <= span.e + near / 3).pop();
          if (mark) detail.textContent = lane.name + ', ' + clock(mark.t, true) + ': ' + mark.l;
          else if (span) detail.textContent = lane.name + ', ' + clock(span.s, true) + ' to ' + clock(span.e, true)
            + ' (' + length(span.e - span.s) + '): ' + (span.k === 'waiting' ? 'waits: ' : '') + span.l;
        }
        let dragged = null;
        canvas.addEventListener('pointerdown', event => {
          dragged = { x: event.clientX, from, to }; canvas.setPointerCapture(event.pointerId); pointAt(event);
        });
        canvas.addEventListener('pointerup', () => { dragged = null; });
        canvas.addEventListener('pointermove', event => {
          if (!dragged) return pointAt(event);
          const moved = (event.clientX - dragged.x) / (canvas.clientWidth - gutter) * (dragged.to - dragged.from);
          show(dragged.from - moved, dragged.to - moved);
        });
        canvas.addEventListener('wheel', event => {
          event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event));
        }, { passive: false });
        canvas.addEventListener('keydown', event => {
          const part = (to - from) / 5;
          if (event.key === '+') zoom(0.5, middle());
          else if (event.key === '-') zoom(2, middle());
          else if (event.key === 'ArrowLeft') show(from - part, to - part);
          else if (event.key === 'ArrowRight') show(from + part, to + part);
          else if (event.key === 'Home') show(0, to - from);
          else if (event.key === 'End') show(total - (to - from), total);
          else return;
          event.preventDefault();
        });
        document.getElementById('in').onclick = () => zoom(0.5, middle());
        document.getElementById('out').onclick = () => zoom(2, middle());
        document.getElementById('all').onclick = () => show(0, total);
        addEventListener('resize', draw);
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
        draw();
        """
}
