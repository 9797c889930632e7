// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The client of Vert.x: each command is handed to the event loop, which refuses it if too many wait for their replies.
 * It has no time limit for a command.
 */
record VertxCounters(VertxLibrary.Opened opened) implements Counters {

    private static final RedisOptions DEFAULTS = new RedisOptions();

    static final Source SOURCE = new Source(
            "vertx",
            "RedisConnection.send(), each by runOnContext() to the connection's event loop, where callbacks run too; the"
                    + " default maxWaitingHandlers of " + DEFAULTS.getMaxWaitingHandlers()
                    + ", beyond which it refuses; what waits for the event loop has no bound; it has no time limit for a"
                    + " command, so none times out; " + NativeTransport.word(),
            true,
            DEFAULTS.getMaxWaitingHandlers(),
            VertxCounters::open);

    private static Counters open(Endpoint endpoint, Duration timeout) throws Exception {
        return new VertxCounters(VertxLibrary.Opened.at(endpoint, new RedisOptions()));
    }

    /** Waits as long as the lab waits for any reply, as the client itself would wait for ever. */
    @Override
    public Ending increment(String key) throws Exception {
        var ending = new CompletableFuture<Ending>();
        send(key, ending::complete);
        try {
            return ending.get(Endpoint.REPLY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return Ending.LOST;
        }
    }

    @Override
    public void send(String key, Consumer<Ending> settled) {
        opened.context()
                .runOnContext(ignored -> opened.connection()
                        .send(Request.cmd(Command.INCR).arg(key))
                        .onComplete(reply -> settled.accept(Ending.OK), failure -> settled.accept(ending(failure))));
    }

    /** Its failures have no types: error replies are responses, and the rest is known by its words. */
    private static Ending ending(Throwable failure) {
        var said = String.valueOf(failure.getMessage());
        if (said.equals("Redis waiting queue is full")) {
            return Ending.REFUSED;
        }
        boolean isError = failure instanceof Response reply && reply.type() == ResponseType.ERROR;
        return isError && !said.equals("CONNECTION_CLOSED") ? Ending.ERROR : Ending.LOST;
    }

    @Override
    public void close() throws Exception {
        opened.close();
    }
}
