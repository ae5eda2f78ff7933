#if os(Linux)
    import Foundation
    import Testing

    @testable import SimulatedOSLog

    @Suite("The text of log messages")
    struct LogMessageTests {
        @Test(
            "a format of os_log is written as printf and NSString do",
            arguments: [
                ("%d of %ld", [3, Int64.max], "3 of 9223372036854775807"), ("%{public}@", ["it"], "it"),
                ("%{private, mask.hash}s|", ["it"], "it|"), ("%5.2f%%", [3.14159], " 3.14%"), ("%-4d|", [-7], "-7  |"),
                ("%u %llu", [Int32(-1), -1], "4294967295 18446744073709551615"), ("%x", [Int32(-1)], "ffffffff"),
                ("%X %o %c", [255, 8, 65], "FF 10 A"), ("%.3s|%5@|%-5@|", ["abcdef", "ab", "ab"], "abc|   ab|ab   |"),
                ("%*d|%.*f|", [4, 7, 1, 2.55], "   7|2.5|"), ("%Lf", [1.5], "1.500000"), ("%a", [1.0], "0x1p+0"),
                ("%@ and %@", ["one"], "one and <no argument>"), ("no argument", [1], "no argument"), ("%", [], ""),
                ("%{open", [1], ""), ("%-", [1], ""), ("%d", ["text"], "text"), ("é%@ü", ["ß"], "éßü"),
            ] as [(StaticString, [any OSLogArgument & Sendable], String)])
        func formats(_ format: StaticString, _ arguments: [any OSLogArgument & Sendable], _ text: String) {
            #expect(LogFormat(format).text(arguments) == text)
        }

        @Test("a width and a precision are bounded, also those of arguments")
        func bounds() {
            #expect(LogFormat("%99999999999999999999d").text([1]).utf8.count == 512)
            #expect(LogFormat("%*d").text([Int.max, 1]).utf8.count == 512)
            #expect(LogFormat("%.*f").text([Int.max, 0.0]).utf8.count == 514)
            #expect(LogFormat("%*d").text([-5, 1]) == "1")
        }

        @Test("%m is the error of the last call, and takes no argument")
        func lastError() {
            errno = ENOENT
            #expect(LogFormat("%m, %d").text([1]) == "No such file or directory, 1")
        }

        @Test("values in a message have a format, an alignment and a privacy, which hides nothing")
        func interpolation() {
            func text(_ message: OSLogMessage) -> String { message.text }
            let (byte, object, failure) = (UInt8(255), NSNumber(value: 3), CocoaError(.fileNoSuchFile))
            #expect(
                text("\(byte, format: .hex) \(byte, format: .hex(includePrefix: true, uppercase: true))") == "ff 0xFF")
            #expect(text("\(byte, format: .octal(includePrefix: true))") == "0o377")
            #expect(
                text("\(-5, format: .decimal(minDigits: 3)) \(5, format: .decimal(explicitPositiveSign: true))")
                    == "-005 +5")
            #expect(
                text("\(1.5, format: .fixed(precision: 2)) \(Float(1.5), format: .exponential(precision: 1))")
                    == "1.50 1.5e+00")
            #expect(text("\(1.5) \(1.5, format: .hybrid)") == "1.500000 1.5")
            #expect(text("\(true, format: .answer) \(false, format: .truth) \(true)") == "YES false true")
            #expect(text("[\("ab", align: .right(columns: 4))|\("ab", align: .left(columns: 3))]") == "[  ab|ab ]")
            #expect(text("\("pin", privacy: .private(mask: .hash)) \(object) \(NSNumber?.none)") == "pin 3 (null)")
            #expect(text("\(Int.self) \([1, 2]) \(failure as (any Error)?)").hasPrefix("Int [1, 2] "))
        }

        @Test("debug messages are not kept, and their values not computed; a disabled log keeps none")
        func levels() {
            let log = OSLog(subsystem: "com.example", category: "life")
            #expect(!log.isEnabled(type: .debug))
            #expect([OSLogType.info, .default, .error, .fault].allSatisfy(log.isEnabled))
            #expect(!OSLog.disabled.isEnabled(type: .fault))
            var computed = 0
            func count() -> Int {
                computed += 1
                return computed
            }
            Logger(log).debug("\(count())")
            Logger(.disabled).fault("\(count())")
            os_log(.debug, log: log, "\(count())")
            #expect(computed == 0)
        }
    }
#endif
