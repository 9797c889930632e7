// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests fusion over a connection that was opened while the server refused most commands: for a short time, and for a
 * reason other than the permissions of the user.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionStartTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private EmbeddedRedis server;
    private RedisClient admin;

    @BeforeEach
    void startServer() {
        server = EmbeddedRedis.start();
        admin = clients.connect(uri(server));
        admin.call(Command.of("ACL SETUSER", "worker", "on", ">secret", "~*", "+@all"));
        admin.call(Command.of("ACL SETUSER", "limited", "on", ">secret", "~*", "+@all", "-mset"));
    }

    @AfterEach
    void stopServer() {
        admin.close();
        server.close();
    }

    private RedisClient connect(String user) {
        return clients.connect(uri(server).withLogin(user, "secret"));
    }

    /** Returns how many of two SET commands are fused. */
    private static long fusedSets(RedisClient client) {
        Pipeline pipeline = client.pipeline();
        pipeline.add(Strings.set("a", "1"));
        pipeline.add(Strings.set("b", "2"));
        assertThat(pipeline.run()).allMatch(result -> result.outcome() instanceof Outcome.Ok);
        return client.stats().fusion().commands();
    }

    private void checkFusionAfter(Runnable begin, Runnable end) {
        begin.run();
        try (RedisClient worker = connect("worker");
                RedisClient limited = connect("limited")) {
            end.run();

            assertThat(fusedSets(worker)).isEqualTo(2);
            assertThat(fusedSets(limited)).isZero();
        }
    }

    @Test
    void connectionOpenedWhileTheServerIsOutOfMemoryUsesFusion() {
        checkFusionAfter(
                () -> admin.call(Command.of("CONFIG SET", "maxmemory", "1")),
                () -> admin.call(Command.of("CONFIG SET", "maxmemory", "0")));
    }

    @Test
    void connectionOpenedWhileTheServerIsAReplicaUsesFusion() {
        checkFusionAfter(
                () -> admin.call(Command.of("REPLICAOF", "127.0.0.1", "1")),
                () -> admin.call(Command.of("REPLICAOF", "NO", "ONE")));
    }

    @Test
    void connectionOpenedWhileThePrimaryIsDownUsesFusion() {
        checkFusionAfter(
                () -> {
                    admin.call(Command.of("CONFIG SET", "replica-serve-stale-data", "no"));
                    admin.call(Command.of("REPLICAOF", "127.0.0.1", "1"));
                },
                () -> admin.call(Command.of("REPLICAOF", "NO", "ONE")));
    }

    @Test
    void connectionOpenedWhileTheServerHasTooFewReplicasUsesFusion() {
        checkFusionAfter(
                () -> admin.call(Command.of("CONFIG SET", "min-replicas-to-write", "1")),
                () -> admin.call(Command.of("CONFIG SET", "min-replicas-to-write", "0")));
    }

    @Test
    void connectionOpenedWhileTheServerRunsALongScriptUsesFusion() {
        admin.call(Command.of("CONFIG SET", "busy-reply-threshold", "1"));
        try (RedisClient caller = clients.connect(uri(server))) {
            CompletableFuture<Reply> script = caller.send(Command.of("EVAL", "while true do end", 0));

            checkFusionAfter(() -> awaitReplyContaining(Command.of("GET", "a"), "BUSY"), () -> {
                admin.call(Command.of("SCRIPT KILL"));
                assertThat(CommandFate.of(script)).isEqualTo(CommandFate.ERROR);
            });
        }
    }

    @Test
    void connectionOpenedWhileTheServerLoadsItsKeysUsesFusion() {
        try (EmbeddedRedis primary = EmbeddedRedis.start()) {
            try (RedisClient client = clients.connect(uri(primary))) {
                client.call(Command.of("CONFIG SET", "repl-diskless-sync-delay", "0"));
                client.call(Command.of("CONFIG SET", "rdbcompression", "no"));
                Pipeline pipeline = client.pipeline();
                IntStream.range(0, 150).forEach(i -> pipeline.add(Strings.set("key" + i, "x".repeat(2_000))));
                pipeline.run();
            }
            admin.call(Command.of("CONFIG SET", "key-load-delay", "20000"));
            admin.call(Command.of("CONFIG SET", "loading-process-events-interval-bytes", "1024"));
            admin.call(Command.of("CONFIG SET", "replica-read-only", "no"));

            checkFusionAfter(
                    () -> {
                        admin.call(Command.of("REPLICAOF", primary.host(), primary.port()));
                        awaitReplyContaining(Command.of("GET", "a"), "LOADING");
                    },
                    () -> {
                        awaitReplyContaining(Server.info("persistence"), "\nloading:0");
                        admin.call(Command.of("REPLICAOF", "NO", "ONE"));
                    });
        }
    }

    /**
     * Waits until the value or the error of {@code command} contains {@code text}. Does not use a client, because a
     * client repeats a command that the server refuses temporarily.
     */
    private void awaitReplyContaining(Command<?> command, String text) {
        try (RawConnection connection = RawConnection.open(server.host(), server.port(), 3)) {
            Eventually.await(text, () -> {
                try {
                    return String.valueOf(connection.run(command)).contains(text);
                } catch (ErrorReplyException e) {
                    return String.valueOf(e.getMessage()).contains(text);
                }
            });
        }
    }
}
