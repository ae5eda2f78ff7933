import ApusBackground
import ApusTestSupport
import ApusTimers
import ApusVirtualTime
import Logging
import Testing

@testable import ApusLinux

@Suite("Notifying the service manager")
@MainActor
struct ServiceManagerTests {
    @Test("ready is reported on request")
    func ready() {
        let world = HostInVirtualTime()
        #expect(world.sentToManager.all == [])
        world.host.reportReady()
        #expect(world.sentToManager.all == ["READY=1"])
    }

    @Test("without background tasks the first signal reports stopping, and nothing else")
    func stopping() throws {
        let world = HostInVirtualTime()
        let run = world.run()
        world.send(.terminate)
        #expect(try world.outcome(of: run) == .completed)
        #expect(world.sentToManager.all == ["STOPPING=1"])
    }

    @Test(
        "while tasks are open, the manager is asked for another 5 s every 2 s until the end, and knows what is awaited")
    func extends() throws {
        let world = HostInVirtualTime()
        var request = BackgroundTaskRequest(name: "deaf")
        request.endsOnExpiration = false
        let deaf = try world.host.beginBackgroundTask(request)
        let upload = try world.host.beginBackgroundTask(named: "upload\nREADY=1")
        let run = world.run()
        world.send(.terminate)
        #expect(
            world.sentToManager.all == [
                "STOPPING=1\nEXTEND_TIMEOUT_USEC=5000000", "STATUS=waiting for deaf, upload READY=1",
            ],
            "a name's line end begins no field")
        world.sentToManager.clear()
        world.time.advance(by: .milliseconds(1_999))
        #expect(world.sentToManager.all == [])
        world.time.advance(by: .milliseconds(1))
        #expect(world.sentToManager.all == ["EXTEND_TIMEOUT_USEC=5000000"])
        upload.end()
        world.time.advance(by: .seconds(2))
        #expect(world.sentToManager.all.last == "STATUS=waiting for deaf")

        world.sentToManager.clear()
        world.time.advance(by: .seconds(30) - .seconds(4))
        #expect(try world.outcome(of: run) == .cut(names: ["deaf"]))
        // The requests come at 6, 8, …, 28 s. At 30 s there may be no request, because the end comes first, or because
        // the last request goes to a process that is about to exit.
        let requests = world.sentToManager.all.count { $0 == "EXTEND_TIMEOUT_USEC=5000000" }
        #expect((12...13).contains(requests))
        #expect(world.sentToManager.all.count == requests, "what has not changed is not sent again")
        world.time.settle()
        #expect(world.time.leaks == [])
        deaf.end()
    }

    @Test("a manager that cannot be reached is logged once, and is no error")
    func unreachable() throws {
        let lines = Log<String>()
        let logger = lines.logger
        let manager = ServiceManager(notifySocket: "/nothing/here")
        manager.notify([.ready], logger: logger)
        manager.notify([.stopping], logger: logger)
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains("service manager") == true)
    }

    @Test("without a socket, or with an empty name, there is no manager", arguments: [nil, ""])
    func none(name: String?) {
        let lines = Log<String>()
        let logger = lines.logger
        ServiceManager(notifySocket: name).notify([.ready], logger: logger)
        #expect(lines.all == [])
    }

    @Test("messages reach a socket at a path and in the abstract namespace", arguments: [false, true])
    func sockets(isAbstract: Bool) throws {
        let socket = try NotifySocket(isAbstract: isAbstract)
        let manager = ServiceManager(notifySocket: socket.name)
        manager.notify([.stopping, .extendTimeout(.milliseconds(1_500))], logger: .silent)
        manager.notify([.status("waiting")], logger: .silent)
        #expect(socket.received() == ["STOPPING=1\nEXTEND_TIMEOUT_USEC=1500000", "STATUS=waiting"])
    }

    @Test(
        "a name that no socket can have is an error, not a trap",
        arguments: ["relative", "vsock:2:1", "@" + String(repeating: "x", count: 500)])
    func badNames(name: String) {
        #expect(DatagramSocket.send("READY=1", to: name) != 0)
    }
}
