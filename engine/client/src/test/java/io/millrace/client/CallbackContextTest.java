// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the context of callbacks: inheritable thread locals, and the context class loader. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CallbackContextTest {

    private static final InheritableThreadLocal<String> LOCAL = new InheritableThreadLocal<>();

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final URLClassLoader ofCaller = new URLClassLoader(new URL[0]);

    /** The context of each callback, by the name of the callback. */
    private final Map<String, String> contexts = new ConcurrentHashMap<>();

    private void record(String callback) {
        Thread thread = Thread.currentThread();
        boolean inheritsLoader = !thread.getContextClassLoader().equals(ClassLoader.getSystemClassLoader());
        contexts.put(callback, "local: " + LOCAL.get() + ", loader inherited: " + inheritsLoader);
    }

    /** Each test has a thread of its own, so no other test sees the context that this test sets. */
    @Test
    void noCallbackInheritsTheContextOfTheThreadThatConnectedOrSubmitted() throws Exception {
        LOCAL.set("the caller");
        Thread.currentThread().setContextClassLoader(ofCaller);
        try (ofCaller;
                EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client =
                        clients.connect(uri(server), options -> options.pushListener(push -> record("push")))) {
            try (DedicatedConnection tracking = client.borrow()) {
                tracking.call(Command.of("CLIENT TRACKING", "ON"));
                tracking.call(Strings.get("watched"));
                client.call(Strings.set("watched", "v"));
                Eventually.await("the push is received", () -> contexts.containsKey("push"));
            }
            assertThat(recordOfSharedConnection(client)).isTrue();
        }

        assertThat(contexts)
                .containsOnlyKeys("push", "future")
                .allSatisfy(
                        (callback, context) -> assertThat(context).isEqualTo("local: null, loader inherited: false"));
    }

    /** Sends commands until a callback runs on a thread of the client, and not on this thread. */
    private boolean recordOfSharedConnection(RedisClient client) {
        Thread caller = Thread.currentThread();
        for (int i = 0; i < 100_000 && !contexts.containsKey("future"); i++) {
            client.send(Server.echo("x"))
                    .thenAccept(reply -> {
                        if (!Thread.currentThread().equals(caller)) {
                            record("future");
                        }
                    })
                    .join();
        }
        return contexts.containsKey("future");
    }
}
