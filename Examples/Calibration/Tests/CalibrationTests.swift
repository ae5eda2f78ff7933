#if os(Linux)
    import ApusTestTraits
    import ApusTesting
    import Foundation
    import SimulatedAppleCore
    import Testing

    @testable import Calibrate

    @MainActor
    @Suite("The calibration app, and the comparison of its recordings")
    struct CalibrationTests {
        private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

        private func simulated() throws -> Recording {
            try Simulation.recording(on: try #require(SimulatedDevice.current))
        }

        /// Returns the error of reading a file with these contents.
        private func error(of contents: String) throws -> String {
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
            try contents.write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            let error = #expect(throws: RecordingFileError.self) { try Recording.read(file.path) }
            return try #require(error).description
        }

        @Test("the simulated phone answers each question, and agrees with itself", .simulatedPhone())
        func agrees() throws {
            let recording = try simulated()
            let comparison = Comparison(recording, with: recording)
            for row in comparison.rows { #expect(row.verdict == .agrees, "\(row.question)") }
            #expect(comparison.count(.agrees) == Question.allCases.count)
        }

        @Test("a recording with one changed answer differs in this answer only", .simulatedPhone())
        func oneChange() throws {
            let simulation = try simulated()
            for question in Question.allCases {
                var phone = simulation
                phone.answers[question.rawValue] =
                    switch try #require(simulation.answers[question.rawValue]) {
                    case .seconds(let seconds): .seconds(seconds + 2 * question.tolerance)
                    case .text(let text): .text("\(text) and more")
                    }
                let differing = Comparison(phone, with: simulation).rows.filter { $0.verdict == .differs }
                #expect(differing.map(\.question) == [question])
            }
        }

        @Test("an answer is about what the rule says, not about the comparison", .simulatedPhone())
        func answers() throws {
            let answers = try simulated().answers
            #expect(answers["stateAtLaunch"] == .text("background"))
            #expect(
                answers["callbacksOfLaunch"]
                    == .text("didFinishLaunching, sceneWillConnect, sceneWillEnterForeground, sceneDidBecomeActive"))
            #expect(answers["callbacksOfLeaving"] == .text("sceneWillResignActive, sceneDidEnterBackground"))
            #expect(answers["timeInForeground"] == .text("greatest"))
            #expect(answers["orderOfExpiration"] == .text("first, second"))
            #expect(answers["timeAtExpiration"] == .seconds(4))
            #expect(answers["threadOfExpiration"] == .text("main"))
            #expect(answers["overdueTicks"] == .text("1"))
            #expect(answers["longestTolerance"] == .seconds(1))
            #expect(answers["viewsAtPush"] == .text("pushed appears, root disappears"))
            #expect(answers["viewsAtPop"] == .text("root appears, pushed disappears"))
            #expect(answers["viewsAtSelection"] == .text("second appears, root disappears"))
            #expect(answers["secondRefresh"] == .text("accepted, accepted, error 2"))
            #expect(answers["pendingNotifications"] == .text("65 accepted, 64 pending"))
        }

        @Test("a changed answer differs, one within the tolerance agrees, and a missing one is not recorded")
        func changed() {
            let simulation = Recording(
                system: "simulated",
                answers: ["stateAtLaunch": .text("background"), "timeInBackground": .seconds(30)])
            func verdict(_ question: Question, _ answer: Answer?) -> Comparison.Verdict? {
                var phone = simulation
                phone.answers[question.rawValue] = answer
                return Comparison(phone, with: simulation).rows.first { $0.question == question }?.verdict
            }
            #expect(verdict(.stateAtLaunch, .text("inactive")) == .differs)
            #expect(verdict(.timeInBackground, .seconds(28)) == .agrees)
            #expect(verdict(.timeInBackground, .seconds(180)) == .differs)
            #expect(verdict(.timeInBackground, .text("greatest")) == .differs)
            #expect(verdict(.stateAtLaunch, nil) == .notRecorded)
        }

        /// Runs the built command, and returns what it prints and its exit status.
        private func calibrate(_ argument: String, input: Data = Data()) throws -> (output: Data, status: Int32) {
            let (process, output, pipe) = (Process(), Pipe(), Pipe())
            let program = URL(filePath: CommandLine.arguments[0])
            process.executableURL = program.deletingLastPathComponent().appending(path: "Calibrate")
            process.arguments = [argument]
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            process.standardInput = pipe
            try process.run()
            // A recording is smaller than the buffer of a pipe.
            try pipe.fileHandleForWriting.write(contentsOf: input)
            try pipe.fileHandleForWriting.close()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (data, process.terminationStatus)
        }

        @Test("the command prints a recording that it accepts, and its exit status says whether an answer differs")
        func command() throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
            defer { try? FileManager.default.removeItem(at: file) }
            let printed = try calibrate("--simulation")
            #expect(printed.status == 0)
            var recording = try JSONDecoder().decode(Recording.self, from: printed.output)
            try printed.output.write(to: file)
            let same = try calibrate(file.path)
            #expect(same.status == 0)
            #expect(String(decoding: same.output, as: UTF8.self).hasSuffix("24 agrees, 0 differs, 0 not recorded\n"))
            let piped = try calibrate("/dev/stdin", input: printed.output)
            #expect(piped.status == 0 && piped.output == same.output)
            recording.answers["timeInBackground"] = .seconds(180)
            try JSONEncoder().encode(recording).write(to: file)
            let changed = try calibrate(file.path)
            #expect(changed.status == 1)
            let lines = String(decoding: changed.output, as: UTF8.self).split(separator: "\n")
            #expect(lines.filter { $0.hasPrefix("differs") }.map { $0.contains("timeInBackground") } == [true])
            try Data("oops".utf8).write(to: file)
            #expect(try calibrate(file.path).status == 64)
        }

        @Test(
            "a user who leaves the app before it asks for it is too early, and there is no recording", .simulatedPhone()
        )
        func tooEarly() throws {
            let device = try #require(SimulatedDevice.current)
            #expect(throws: Simulation.NoRecording.self) {
                try Simulation.recording(on: device, leavingAfter: .seconds(3))
            }
            #expect(try SimulatedPhone.screen(on: device).contains { $0.hasPrefix("That was too early.") })
        }

        @Test("the greatest number is a text in the file", arguments: [1, -1])
        func greatest(sign: Double) throws {
            let recording = Recording(
                system: "iOS", answers: ["timeInBackground": .seconds(sign * .greatestFiniteMagnitude)])
            let read = try JSONDecoder().decode(Recording.self, from: JSONEncoder().encode(recording))
            #expect(read.answers == ["timeInBackground": .text("greatest")])
        }

        @Test("a recording is written and read as the same")
        func coding() throws {
            let recording = Recording(
                system: "iOS 26.1, iPhone", answers: ["timeInBackground": .seconds(29.5), "overdueTicks": .text("1")])
            let data = try JSONEncoder().encode(recording)
            #expect(try JSONDecoder().decode(Recording.self, from: data) == recording)
        }

        @Test("the error of a file that is no recording says what is wrong with it")
        func files() throws {
            let missing = #expect(throws: RecordingFileError.self) { try Recording.read("/no/such/file.json") }
            #expect(missing?.description.hasPrefix("/no/such/file.json cannot be read: ") == true)
            #expect(try error(of: "oops").contains("is no recording of the calibration app"))
            #expect(try error(of: #"{"format": 2}"#).contains("has the format 2, and this version reads 1"))
            #expect(
                try error(of: #"{"format": 1, "system": "iOS", "answers": {"a": []}}"#).contains("numbers and texts"))
            #expect(
                try error(of: #"{"format": 1, "system": "iOS", "answers": {"weather": "fine"}}"#)
                    .hasSuffix("questions that this version does not have: weather"))
        }

        @Test("the rule of each question is a row of docs/phone-rules.md")
        func rules() throws {
            let file = Self.folder.appending(path: "../../../docs/phone-rules.md")
            let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            for question in Question.allCases {
                #expect(rows.contains { $0.hasPrefix("| \(question.rule) | ") }, "\(question)")
            }
        }
    }
#endif
