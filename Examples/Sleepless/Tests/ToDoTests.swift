import ApusTesting
import SleeplessApp
import Testing

@MainActor
@Suite("The screen To do")
struct ToDoTests {
    @Test("it ticks once a second, only while there are open tasks")
    func ticks() throws {
        try SimulatedDevice.withSleepless { device in
            let toDo = try device.sleepless.toDo
            device.advance(seconds: 10)
            #expect(try device.shown.todo.ticks == 0)
            let milk = try toDo.add("Milk")
            device.advance(seconds: 42)
            #expect(try device.shown.todo.ticks == 42)
            #expect(try device.shown.todo.tasks.map(\.elapsed) == ["0:42"])
            try toDo.complete(milk)
            device.advance(seconds: 60)
            let shown = try device.shown.todo
            #expect(shown.ticks == 42)
            #expect(!shown.isTicking)
            #expect(shown.tasks.map(\.elapsed) == ["0:42"])
        }
    }

    @Test("it ticks while the user scrolls")
    func scrolling() throws {
        try SimulatedDevice.withSleepless { device in
            try device.sleepless.toDo.add("Milk")
            device.beginScrolling()
            device.advance(seconds: 5)
            #expect(try device.shown.todo.ticks == 5)
            device.endScrolling()
            device.advance(seconds: 5)
            #expect(try device.shown.todo.ticks == 10)
        }
    }

    @Test("tasks and their clocks survive a kill and a restart of the device")
    func survives() throws {
        try SimulatedDevice.withSleepless { device in
            let toDo = try device.sleepless.toDo
            try toDo.add("Milk")
            try toDo.complete(try toDo.add("Bread"))
            try toDo.remove(try toDo.add("Mistake"))
            device.advance(seconds: 60)
            device.kill()
            device.advance(seconds: 60)
            device.reboot()
            device.open()
            let tasks = try device.shown.todo.tasks
            #expect(tasks.map(\.title) == ["Milk", "Bread"])
            #expect(tasks.map(\.isDone) == [false, true])
            #expect(tasks.map(\.elapsed) == ["2:30", "0:00"])
            #expect(try device.shown.todo.isTicking)
        }
    }

    @Test("when all is done, the balloon rises for three seconds with each frame of the display")
    func balloon() throws {
        try SimulatedDevice.withSleepless { device in
            let toDo = try device.sleepless.toDo
            let frames = Counter()
            toDo.onFrame = { if $0 != nil { frames.count += 1 } }
            try toDo.complete(try toDo.add("Milk"))
            device.advance(seconds: 1.5)
            let balloon = try #require(try device.shown.todo.balloon)
            #expect(balloon.frames == 90)
            #expect(balloon.progress == 0.5)
            device.advance(seconds: 2)
            #expect(try device.shown.todo.balloon == nil)
            #expect(frames.count == 180)
        }
    }

    @Test(
        "in the background the balloon stands still and nothing ticks; in front it continues, and no frame was dropped")
    func pauses() throws {
        try SimulatedDevice.withSleepless { device in
            let toDo = try device.sleepless.toDo
            let frames = Counter()
            toDo.onFrame = { if $0 != nil { frames.count += 1 } }
            try toDo.complete(try toDo.add("Milk"))
            device.advance(seconds: 1)
            device.pressHome()
            let atHome = frames.count
            device.advance(seconds: 60)
            #expect(frames.count == atHome)
            device.open()
            device.advance(seconds: 5)
            #expect(frames.count == 180)
            #expect(try device.shown.todo.balloon == nil)
        }
    }

    @Test("an empty title and an unknown task are refused")
    func refuses() throws {
        try SimulatedDevice.withSleepless { device in
            let toDo = try device.sleepless.toDo
            #expect(throws: AppError.self) { try toDo.add("  ") }
            #expect(throws: AppError.self) { try toDo.add(String(repeating: "x", count: 201)) }
            #expect(throws: AppError.self) { try toDo.complete(7) }
        }
    }
}
