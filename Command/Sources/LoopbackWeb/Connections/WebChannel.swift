import ApusTimers
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// The pipeline of a connection: HTTP/1.1 with ``ConnectionLimits``.
struct WebChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let limits: ConnectionLimits
    /// The headers of every answer.
    let headers: HTTPFields
    let register: ConnectionRegister?
    let engine: TimerEngine
    let responder: Responder

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            var decoding = NIOHTTPDecoderLimitConfiguration()
            decoding.maxHeaderFieldSize = 80 * 1024
            decoding.maxHeaderListSize = 80 * 1024
            decoding.maxHeaderFieldCount = 1_000
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoding)
            // The keeper comes before the conversion to HTTP types, because these do not contain the version of HTTP.
            try pipeline.addHandler(
                ConnectionKeeper(limits: limits, headers: headers, register: register, engine: engine))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: limits.idle, logger: logger))
            return try Value(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(ConnectionExecutor(value.channel.eventLoop)) {
            await handleHTTP(asyncChannel: value, logger: logger)
        }
    }
}

/// Runs the tasks of a connection on its event loop.
///
/// Without this executor, the tasks would run on SwiftNIO's executor of event loops, which runs each job on a serial
/// executor. Swift leaves a serial executor at each call of an asynchronous function and at each return, so the rest of
/// the task becomes another job at the end of the loop's queue, about twenty times in a request. Swift does not leave a
/// task executor. In addition, a task that a thread of the store resumes continues on the loop that writes its answer;
/// otherwise it could continue on the loop of another connection.
final class ConnectionExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
