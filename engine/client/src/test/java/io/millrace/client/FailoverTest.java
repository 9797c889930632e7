// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests failovers and temporary refusals of a real primary with a real replica. */
@ExtendWith(NoThreadLeft.class)
class FailoverTest {

    private static final int CALLERS = 4;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private ReplicatedServers servers;

    @BeforeEach
    void startServers() {
        servers = ReplicatedServers.start();
    }

    @AfterEach
    void stopServers() {
        servers.close();
    }

    private static ConnectionStats stats(RedisClient client) {
        return client.stats().connections().getFirst();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void everyAcknowledgedWriteIsOnTheNewPrimaryAndNoWriteFails(Protocol protocol) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger number = new AtomicInteger();
        Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
        try (RedisClient client =
                clients.connect(servers.options().protocol(protocol).build())) {
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(CompletableFuture.runAsync(
                        () -> {
                            while (!stop.get()) {
                                String key = "k" + number.getAndIncrement();
                                client.call(Strings.set(key, key));
                                acknowledged.add(key);
                            }
                        },
                        task -> Thread.ofPlatform().start(task)));
            }
            Eventually.await("writes before the failover", () -> acknowledged.size() > 1_000);

            servers.failOver();
            Eventually.await("the connection was replaced", () -> stats(client).reconnections() > 0);
            int before = acknowledged.size();
            Eventually.await("writes after the failover", () -> acknowledged.size() > before + 1_000);
            stop.set(true);
            for (CompletableFuture<Void> caller : callers) {
                caller.get(60, TimeUnit.SECONDS);
            }

            assertThat(client.counts().ok()).isEqualTo(acknowledged.size());
            assertThat(stats(client).reconnections()).isEqualTo(1);
            assertThat(stats(client).retries()).isPositive();
        }
        Pipeline reads = servers.second().pipeline();
        for (String key : acknowledged) {
            reads.add(Strings.get(key));
        }
        assertThat(reads.run())
                .allMatch(result -> result.outcome() instanceof Outcome.Ok)
                .noneMatch(result -> result.value().equals(java.util.Optional.empty()));
    }

    @Test
    void pipelineFollowsTheFailover() {
        try (RedisClient client = clients.connect(servers.options().build())) {
            client.call(Strings.set("before", "1"));
            servers.failOver();
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 1_000; i++) {
                pipeline.add(Strings.increment("counter"));
            }

            List<Result<?>> results = pipeline.run();

            // Only commands that were sent before a later batch was executed may have the error of the old primary.
            long ok = results.stream()
                    .filter(result -> result.outcome() instanceof Outcome.Ok)
                    .count();
            assertThat(client.call(Strings.get("counter"))).hasValue(Long.toString(ok));
            assertThat(results.getLast().outcome()).isInstanceOf(Outcome.Ok.class);
        }
    }

    @Test
    void transactionFollowsTheFailover() {
        try (RedisClient client = clients.connect(servers.options().build())) {
            servers.failOver();
            Transaction transaction = client.transaction();
            transaction.add(Strings.set("a", "1"));
            transaction.add(Strings.increment("counter"));

            Transaction.Ending ending = transaction.run();

            assertThat(ending).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(servers.second().call(Strings.get("counter"))).hasValue("1");
        }
    }

    @Test
    void lostConnectionToAPrimaryIsReplacedByAConnectionToThePrimary() {
        try (RedisClient client = clients.connect(servers.options().build())) {
            client.call(Strings.set("a", "1"));
            servers.failOver();

            servers.first().call(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));
            Eventually.await("the connection was replaced", () -> stats(client).reconnections() > 0);
            client.call(Strings.set("a", "2"));

            assertThat(servers.second().call(Strings.get("a"))).hasValue("2");
            assertThat(stats(client).reconnections()).isEqualTo(1);
            assertThat(stats(client).retries()).isZero();
        }
    }

    @Test
    void connectionsOpenedAfterTheFailoverUseTheNewPrimary() {
        try (RedisClient client = clients.connect(servers.options().build())) {
            servers.failOver();

            try (DedicatedConnection borrowed = client.borrow();
                    BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
                borrowed.call(Strings.set("borrowed", "1"));
                writer.begin(Strings.SET).arg("bulk").arg("1");
                writer.end(1);
                writer.finish();

                assertThat(writer.counts().ok()).isEqualTo(1);
            }

            assertThat(servers.second().call(Strings.get("borrowed"))).hasValue("1");
            assertThat(servers.second().call(Strings.get("bulk"))).hasValue("1");
        }
    }

    @Test
    void dedicatedConnectionThatAnsweredReadOnlyIsNotLentAgain() {
        try (RedisClient client = clients.connect(servers.options().build())) {
            try (DedicatedConnection borrowed = client.borrow()) {
                borrowed.call(Strings.set("a", "1"));
                servers.failOver();
                assertThatThrownBy(() -> borrowed.call(Strings.set("a", "2")))
                        .isInstanceOfSatisfying(
                                ErrorReplyException.class,
                                e -> assertThat(e.code()).isEqualTo("READONLY"));
            }

            try (DedicatedConnection borrowed = client.borrow()) {
                borrowed.call(Strings.set("a", "3"));
            }

            assertThat(servers.second().call(Strings.get("a"))).hasValue("3");
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void writesOnAReplicaFailAndDoNotDisturbReads(Protocol protocol) throws Exception {
        servers.first().call(Strings.set("a", "1"));
        Eventually.await(
                "replication", () -> servers.second().call(Strings.get("a")).isPresent());
        try (RedisClient client = clients.connect(WatchedClients.options(servers.secondUri())
                .protocol(protocol)
                .commandTimeout(Duration.ofSeconds(protocol == Protocol.RESP3 ? 60 : 1))
                .build())) {
            List<CompletableFuture<?>> reads = new ArrayList<>();

            for (int i = 0; i < 20; i++) {
                reads.add(client.send(Strings.get("a")));
                assertThatThrownBy(() -> client.call(Strings.set("a", "2")))
                        .isInstanceOfSatisfying(
                                ErrorReplyException.class,
                                e -> assertThat(e.code()).isEqualTo("READONLY"));
                if (protocol == Protocol.RESP2) {
                    break;
                }
            }

            for (CompletableFuture<?> read : reads) {
                read.get(60, TimeUnit.SECONDS);
            }
            assertThat(stats(client).reconnections()).isZero();
            assertThat(stats(client).lateReplies()).isZero();
        }
    }

    @Test
    void writeWaitsUntilTheOnlyServerIsPromotedAgain() throws Exception {
        try (RedisClient client = clients.connect(servers.firstUri())) {
            servers.failOver();
            CompletableFuture<?> write = client.send(Strings.set("a", "1"));
            Eventually.await("a retry", () -> stats(client).retries() > 0);
            assertThat(write).isNotDone();

            servers.first().call(Command.of("REPLICAOF", "NO", "ONE"));

            write.get(60, TimeUnit.SECONDS);
            assertThat(servers.first().call(Strings.get("a"))).hasValue("1");
        }
    }

    // Temporary refusals of a real server.

    @Test
    void commandsWaitForTheEndOfASlowScript() throws Exception {
        try (RedisClient client = clients.connect(servers.firstUri())) {
            client.call(Strings.set("a", "1"));
            CompletableFuture<?> script = servers.first().send(Command.of("EVAL", "while true do end", "0"));
            Eventually.await("the server is busy", () -> {
                try (RedisClient probe = RedisClient.connect(WatchedClients.options(servers.firstUri())
                        .commandTimeout(Duration.ofMillis(200))
                        .fusion(java.util.Set.of())
                        .build())) {
                    probe.call(Strings.get("a"));
                    return false;
                } catch (ErrorReplyException e) {
                    return e.code().equals("BUSY");
                } catch (TimedOutException e) {
                    return false; // no reply in time on a busy machine
                }
            });
            CompletableFuture<?> write = client.send(Strings.set("a", "2"));
            Eventually.await("a retry", () -> stats(client).retries() > 0);

            client.call(Command.of("SCRIPT KILL"));

            write.get(60, TimeUnit.SECONDS);
            assertThat(script).isCompletedExceptionally();
            assertThat(client.call(Strings.get("a"))).hasValue("2");
        }
    }

    @Test
    void readsOfAReplicaWaitForItsPrimary() throws Exception {
        servers.second().call(Command.of("CONFIG SET", "replica-serve-stale-data", "no"));
        try (RedisClient client = clients.connect(servers.secondUri())) {
            assertThat(client.call(Strings.get("a"))).isEmpty();
            servers.second().call(Command.of("REPLICAOF", "127.0.0.1", "1"));
            CompletableFuture<?> read = client.send(Strings.get("a"));
            Eventually.await("a retry", () -> stats(client).retries() > 0);

            servers.second().call(Command.of("REPLICAOF", "NO", "ONE"));

            assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo(java.util.Optional.empty());
        }
    }
}
