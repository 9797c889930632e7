// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.Invalidation.Cause;
import io.millrace.client.Invalidation.ChangedKeys;
import io.millrace.client.Invalidation.Everything;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests tracking ({@code CLIENT TRACKING}): a real server reports changed keys to the client. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TrackingTest {

    private static final TrackingOptions USERS = TrackingOptions.prefixes("user:", "größe:");

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** Polls changed keys until {@code last} is one of them. Returns all polled keys. */
    private static Set<String> keysUntil(Tracking tracking, String last) {
        Set<String> keys = new HashSet<>();
        while (!keys.contains(last)) {
            keys.addAll(((ChangedKeys) tracking.poll(TIMEOUT).orElseThrow()).keys());
        }
        return keys;
    }

    @Test
    void changesByAnyClientToKeysWithATrackedPrefixAreReported() {
        try (RedisClient reader = clients.connect(uri(server));
                RedisClient writer = clients.connect(uri(server));
                Tracking tracking = reader.track(USERS)) {
            writer.call(Strings.set("user:1", "Ada"));
            writer.call(Strings.set("other:1", "Eve"));
            writer.call(Hashes.set("größe:2", "cm", "170"));
            reader.call(Strings.set("user:3", "Bob"));
            writer.call(Command.of("DEL", "user:1"));
            writer.call(Strings.set("user:last", ""));

            Set<String> keys = keysUntil(tracking, "user:last");

            assertThat(keys).containsExactlyInAnyOrder("user:1", "größe:2", "user:3", "user:last");
            assertThat(tracking.isUpToDate()).isTrue();
            assertThat(tracking.waiting()).isZero();
        }
    }

    @Test
    void expiryOfAKeyThatWasNeverReadIsReported() {
        try (RedisClient client = clients.connect(uri(server));
                Tracking tracking = client.track(USERS)) {
            client.call(Command.of("SET", "user:brief", "x", "PX", "50"));
            keysUntil(tracking, "user:brief");

            Set<String> expired = keysUntil(tracking, "user:brief");

            assertThat(expired).containsExactly("user:brief");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"FLUSHALL", "FLUSHDB"})
    void flushInvalidatesAllKeys(String flush) {
        try (RedisClient client = clients.connect(uri(server));
                Tracking tracking = client.track(USERS)) {

            client.call(Command.of(flush));

            assertThat(tracking.poll(TIMEOUT)).contains(new Everything(Cause.FLUSHED));
            assertThat(tracking.isUpToDate()).isTrue();
        }
    }

    @Test
    void emptyPrefixTracksAllKeys() {
        try (RedisClient client = clients.connect(uri(server));
                Tracking tracking = client.track(TrackingOptions.prefixes(""))) {

            client.call(Strings.set("anything", "1"));

            assertThat(keysUntil(tracking, "anything")).containsExactly("anything");
        }
    }

    @Test
    void pendingInvalidationsAreMerged() {
        try (RedisClient client = clients.connect(uri(server));
                Tracking tracking = client.track(USERS)) {
            for (int i = 0; i < 1_000; i++) {
                client.call(Strings.set("user:" + i % 10, "v" + i));
            }
            client.call(Strings.set("user:last", ""));
            Eventually.await("all invalidations have arrived", () -> tracking.waiting() == 11);

            Optional<Invalidation> sum = tracking.poll(Duration.ZERO);

            assertThat(((ChangedKeys) sum.orElseThrow()).keys()).hasSize(11).doesNotHaveDuplicates();
            assertThat(tracking.poll(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void overflowOfTheBufferInvalidatesAllKeys() {
        try (RedisClient client = clients.connect(uri(server));
                Tracking tracking = client.track(USERS.withBuffer(100))) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 5_000; i++) {
                pipeline.add(Strings.set("user:" + i, "v"));
            }
            pipeline.run();

            Optional<Invalidation> sum = tracking.poll(TIMEOUT);
            while (sum.filter(Everything.class::isInstance).isEmpty()) {
                sum = tracking.poll(TIMEOUT);
            }

            assertThat(sum).contains(new Everything(Cause.OVERFLOWED));
            client.call(Command.of("FLUSHALL"));
            while (!tracking.poll(TIMEOUT).equals(Optional.of(new Everything(Cause.FLUSHED)))) {
                // Skips the invalidations of the keys that were written before the FLUSHALL.
            }
            client.call(Strings.set("user:after", ""));
            assertThat(keysUntil(tracking, "user:after")).containsExactly("user:after");
        }
    }

    // Waiting and ending.

    @Test
    void closingATrackingEndsAWaitingPollAndKeepsPendingInvalidations() throws Exception {
        try (RedisClient client = clients.connect(uri(server))) {
            Tracking idle = client.track(TrackingOptions.prefixes("nothing:"));
            Tracking full = client.track(USERS);
            client.call(Strings.set("user:1", "x"));
            Eventually.await("the invalidation has arrived", () -> full.waiting() == 1);
            CompletableFuture<Optional<Invalidation>> poll = new CompletableFuture<>();
            Thread poller = Thread.ofVirtual().start(() -> poll.complete(idle.poll(Duration.ofMinutes(1))));
            Eventually.await("the poller waits", () -> poller.getState() == Thread.State.TIMED_WAITING);

            idle.close();
            full.close();
            full.close();

            assertThat(poll.get(60, TimeUnit.SECONDS)).isEmpty();
            assertThat(idle.isUpToDate() || full.isUpToDate()).isFalse();
            assertThat(full.poll(TIMEOUT)).contains(new ChangedKeys(List.of("user:1")));
            assertThat(full.poll(TIMEOUT)).isEmpty();
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void trackingOfADeletedUserContinuesAfterTheUserIsCreatedAgain() {
        try (RedisClient admin = clients.connect(uri(server))) {
            admin.call(Command.of("ACL SETUSER", "leaver", "on", ">marked-secret", "allkeys", "+@all"));
            try (RedisClient client = clients.connect(uri(server).withLogin("leaver", "marked-secret"));
                    Tracking tracking = client.track(USERS)) {

                admin.call(Command.of("ACL DELUSER", "leaver"));
                Optional<Invalidation> lost = tracking.poll(TIMEOUT);
                Eventually.await(
                        "the login is refused", () -> log.warnings().toString().contains("WRONGPASS"));
                boolean upToDateMeanwhile = tracking.isUpToDate();
                admin.call(Command.of("ACL SETUSER", "leaver", "on", ">marked-secret", "allkeys", "+@all"));
                Eventually.await("the tracking works again", tracking::isUpToDate);

                assertThat(lost).contains(new Everything(Cause.CONNECTION_LOST));
                assertThat(upToDateMeanwhile).isFalse();
                assertThat(tracking.poll(TIMEOUT)).contains(new Everything(Cause.RECONNECTED));
                assertThat(log.lines().toString()).doesNotContain("marked-secret");
            }
        }
    }

    // Refusals.

    @ParameterizedTest
    @ValueSource(strings = {"client|tracking", "ping"})
    void missingPermissionForTrackingIsReported(String right) {
        try (RedisClient admin = clients.connect(uri(server))) {
            admin.call(Command.of("ACL SETUSER", "blind", "reset", "on", ">secret", "allkeys", "+@all", "-" + right));
            try (RedisClient client = clients.connect(uri(server).withLogin("blind", "secret"))) {

                ConnectException refused = catchThrowableOfType(ConnectException.class, () -> client.track(USERS));

                assertThat(refused.reason()).isEqualTo(Reason.HANDSHAKE);
                assertThat(refused)
                        .hasMessageContainingAll(
                                "cannot track keys at redis://",
                                right.replace('|', ' ').toUpperCase(Locale.ROOT) + " is refused: NOPERM",
                                "permission for HELLO, CLIENT TRACKING and PING.");
            }
        }
    }

    @Test
    void trackingWithAResp2ClientIsRejected() {
        try (RedisClient client = clients.connect(uri(server), options -> options.protocol(Protocol.RESP2))) {

            ConnectException refused = catchThrowableOfType(ConnectException.class, () -> client.track(USERS));

            assertThat(refused.reason()).isEqualTo(Reason.HANDSHAKE);
            assertThat(refused).hasMessageContaining("invalidations need RESP3, but the options set RESP2");
        }
    }

    @Test
    void closedClientRejectsTracking() {
        RedisClient client = clients.connect(uri(server));
        client.close();

        assertThatThrownBy(() -> client.track(USERS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the client is closed");
    }

    @Test
    void optionsOutOfRangeAreRejected() {
        assertThatThrownBy(() -> TrackingOptions.prefixes(new String[0]))
                .hasMessageContaining("tracking needs a prefix");
        assertThatThrownBy(() -> TrackingOptions.prefixes("user:1", "a", "user:"))
                .hasMessageContaining("no prefix may begin with another prefix: \"user:1\" begins with \"user:\"");
        assertThatThrownBy(() -> TrackingOptions.prefixes("a", "a")).hasMessageContaining("\"a\" begins with \"a\"");
        assertThatThrownBy(() -> USERS.withPingInterval(Duration.ofMillis(9)))
                .hasMessageContaining("pingInterval=9 ms is out of range: 10 ms to 1 h.");
        assertThatThrownBy(() -> USERS.withBuffer(0))
                .hasMessageContaining("buffer=0 is out of range: 1 to 16,777,216.");
    }
}
