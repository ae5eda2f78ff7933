#if os(Linux)
    import Foundation
    import PlatformC
    import Testing

    @testable import SimulatedAppleCore

    @Suite("The socket between a device and a process of an app")
    struct LineSocketTests {
        /// Tests that the number of an ended socket stays taken until the socket is gone.
        ///
        /// Otherwise the number could belong to another file, which calls on the ended socket would affect.
        @Test("ending a socket, also twice, leaves its number taken until the socket is gone")
        func ending() throws {
            let (own, other) = try #require(LineSocket.pair())
            defer { close(other) }
            let socket = LineSocket(descriptor: own)
            socket.end()
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            defer { close(file) }
            #expect(file != own)
            socket.end()
            #expect(fcntl(file, F_GETFD) >= 0)
            #expect(socket.send(DeviceMessage.reply(call: 1, Data(), freeTime: 0)) == false)
            guard case .end = socket.receive(AppMessage.self) else {
                Issue.record("something was read")
                return
            }
            var byte: UInt8 = 0
            #expect(recv(other, &byte, 1, 0) == 0, "the other end does not see the end")
        }
    }
#endif
