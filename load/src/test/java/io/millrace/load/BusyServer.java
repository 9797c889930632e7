// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.resp.Reply;
import io.millrace.testkit.FaultProxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** A real server that a script without an end can block. It calls itself busy when the script has run for a millisecond. */
final class BusyServer implements AutoCloseable {

    private final TestRedis server = TestRedis.start(EmbeddedOptions.defaults().withConfig("lua-time-limit 1"));
    private final RedisClient script = RedisClient.connect(server.options());
    private final RedisClient client = RedisClient.connect(server.options());
    private final FaultProxy proxy =
            FaultProxy.inFrontOf(server.server().host(), server.server().port());

    ClientOptions options() {
        return server.options();
    }

    /** Blocks the server with a script, and waits until the server refuses commands. */
    void block() {
        var unused = script.send(Command.of("EVAL", "while true do end", "0"));
        while (!(server.call("GET", "k") instanceof Reply.ErrorReply)) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Ends the script. */
    void release() {
        var unused = call("SCRIPT KILL");
    }

    Reply call(String name, Object... arguments) {
        return client.call(Command.of(name, arguments));
    }

    /** Runs {@code plan}. Ends the script when the load has replaced a connection, which it does only after a refusal. */
    LoadReport loadUntilRefused(LoadPlan plan) {
        ClientOptions through = ClientOptions.builder(RedisUri.of(proxy.host(), proxy.port()))
                .connectTimeout(Duration.ofMinutes(1))
                .build();
        LoadPlan empty = new LoadPlan(TestRows.count(0), plan.target(), plan.options());
        var unused = new Loader(through).run(empty, event -> {});
        int undisturbed = 2 * proxy.acceptedConnections();
        AtomicBoolean released = new AtomicBoolean();
        return new Loader(through).run(plan, event -> {
            boolean tick = event instanceof LoadEvent.Progress || event instanceof LoadEvent.Verifying;
            if (tick && proxy.acceptedConnections() > undisturbed && released.compareAndSet(false, true)) {
                release();
            }
        });
    }

    @Override
    public void close() {
        proxy.close();
        script.close();
        client.close();
        server.close();
    }
}
