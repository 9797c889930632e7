// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.PATIENCE;
import static io.millrace.client.WatchedClients.SOON;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.ConnectException.Reason;
import io.millrace.client.Invalidation.Cause;
import io.millrace.client.Invalidation.Everything;
import io.millrace.client.Invalidation.Keys;
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

/** What a real server tells of its keys. */
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

    /** Takes keys until {@code last} is among them. */
    private static Set<String> keysUntil(Tracking tracking, String last) {
        Set<String> keys = new HashSet<>();
        while (!keys.contains(last)) {
            keys.addAll(((Keys) tracking.poll(PATIENCE).orElseThrow()).keys());
        }
        return keys;
    }

    @Test
    void everyWritersChangesAreToldAndOnlyThoseOfThePrefixes() {
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
            assertThat(tracking.isEstablished()).isTrue();
            assertThat(tracking.waiting()).isZero();
        }
    }

    @Test
    void anExpiryIsToldThoughNobodyLooksForTheKey() {
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
    void aFlushIsEverything(String flush) {
        try (RedisClient client = clients.connect(uri(server));
                Tracking tracking = client.track(USERS)) {

            client.call(Command.of(flush));

            assertThat(tracking.poll(PATIENCE)).contains(new Everything(Cause.FLUSHED));
            assertThat(tracking.isEstablished()).isTrue();
        }
    }

    @Test
    void theEmptyPrefixMeansAllKeys() {
        try (RedisClient client = clients.connect(uri(server));
                Tracking tracking = client.track(TrackingOptions.prefixes(""))) {

            client.call(Strings.set("anything", "1"));

            assertThat(keysUntil(tracking, "anything")).containsExactly("anything");
        }
    }

    @Test
    void whatIsNotTakenIsAddedUp() {
        try (RedisClient client = clients.connect(uri(server));
                Tracking tracking = client.track(USERS)) {
            for (int i = 0; i < 1_000; i++) {
                client.call(Strings.set("user:" + i % 10, "v" + i));
            }
            client.call(Strings.set("user:last", ""));
            Eventually.await("all have come", () -> tracking.waiting() == 11);

            Optional<Invalidation> sum = tracking.poll(Duration.ZERO);

            assertThat(((Keys) sum.orElseThrow()).keys()).hasSize(11).doesNotHaveDuplicates();
            assertThat(tracking.poll(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void moreKeysThanThereIsRoomForAreEverything() {
        try (RedisClient client = clients.connect(uri(server));
                Tracking tracking = client.track(USERS.withBuffer(100))) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 5_000; i++) {
                pipeline.add(Strings.set("user:" + i, "v"));
            }
            pipeline.run();

            Optional<Invalidation> sum = tracking.poll(PATIENCE);
            while (sum.filter(Everything.class::isInstance).isEmpty()) {
                sum = tracking.poll(PATIENCE);
            }

            assertThat(sum).contains(new Everything(Cause.OVERFLOWED));
            client.call(Command.of("FLUSHALL"));
            while (!tracking.poll(PATIENCE).equals(Optional.of(new Everything(Cause.FLUSHED)))) {
                // The rest of the same keys.
            }
            client.call(Strings.set("user:after", ""));
            assertThat(keysUntil(tracking, "user:after")).containsExactly("user:after");
        }
    }

    // Waiting and ending.

    @Test
    void closingEndsAPollAndLeavesWhatWaits() throws Exception {
        try (RedisClient client = clients.connect(uri(server))) {
            Tracking idle = client.track(TrackingOptions.prefixes("nothing:"));
            Tracking full = client.track(USERS);
            client.call(Strings.set("user:1", "x"));
            Eventually.await("it has come", () -> full.waiting() == 1);
            CompletableFuture<Optional<Invalidation>> poll = new CompletableFuture<>();
            Thread poller = Thread.ofVirtual().start(() -> poll.complete(idle.poll(Duration.ofMinutes(1))));
            Eventually.await("it waits", () -> poller.getState() == Thread.State.TIMED_WAITING);

            idle.close();
            full.close();
            full.close();

            assertThat(poll.get(5, TimeUnit.SECONDS)).isEmpty();
            assertThat(idle.isEstablished() || full.isEstablished()).isFalse();
            assertThat(full.poll(PATIENCE)).contains(new Keys(List.of("user:1")));
            assertThat(full.poll(PATIENCE)).isEmpty();
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void aUserWhoIsDeletedIsToldWhyNothingComesAnyMore() {
        try (RedisClient admin = clients.connect(uri(server))) {
            admin.call(Command.of("ACL SETUSER", "leaver", "on", ">marked-secret", "allkeys", "+@all"));
            try (RedisClient client = clients.connect(uri(server).withLogin("leaver", "marked-secret"));
                    Tracking tracking = client.track(USERS)) {
                long before = System.nanoTime();

                admin.call(Command.of("ACL DELUSER", "leaver"));
                Optional<Invalidation> last = tracking.poll(PATIENCE);
                ConnectException ended = catchThrowableOfType(ConnectException.class, () -> tracking.poll(PATIENCE));

                assertThat(last).contains(new Everything(Cause.LOST));
                assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
                assertThat(ended.reason()).isEqualTo(Reason.AUTHENTICATION);
                assertThat(ended).hasMessageContainingAll("the tracking has ended", "WRONGPASS");
                assertThat(ended.toString() + log.lines()).doesNotContain("marked-secret");
                assertThat(tracking.isEstablished()).isFalse();
            }
        }
    }

    // Refusals.

    @ParameterizedTest
    @ValueSource(strings = {"client|tracking", "ping"})
    void whatTheUserMayNotDoIsNamed(String right) {
        try (RedisClient admin = clients.connect(uri(server))) {
            admin.call(Command.of("ACL SETUSER", "blind", "reset", "on", ">secret", "allkeys", "+@all", "-" + right));
            try (RedisClient client = clients.connect(uri(server).withLogin("blind", "secret"))) {

                ConnectException refused = catchThrowableOfType(ConnectException.class, () -> client.track(USERS));

                assertThat(refused.reason()).isEqualTo(Reason.HANDSHAKE);
                assertThat(refused)
                        .hasMessageContainingAll(
                                "cannot track keys at redis://",
                                right.replace('|', ' ').toUpperCase(Locale.ROOT) + " is refused: NOPERM",
                                "the right to HELLO, CLIENT TRACKING and PING.");
            }
        }
    }

    @Test
    void aClientThatIsToSpeakResp2IsRefused() {
        try (RedisClient client = clients.connect(uri(server), options -> options.protocol(Protocol.RESP2))) {

            ConnectException refused = catchThrowableOfType(ConnectException.class, () -> client.track(USERS));

            assertThat(refused.reason()).isEqualTo(Reason.HANDSHAKE);
            assertThat(refused).hasMessageContaining("invalidations come in RESP3 only, and the options ask for RESP2");
        }
    }

    @Test
    void aClosedClientTracksNothing() {
        RedisClient client = clients.connect(uri(server));
        client.close();

        assertThatThrownBy(() -> client.track(USERS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the client is closed");
    }

    @Test
    void optionsOutOfTheirRangesAreRefused() {
        assertThatThrownBy(() -> TrackingOptions.prefixes(new String[0]))
                .hasMessageContaining("tracking needs a prefix");
        assertThatThrownBy(() -> TrackingOptions.prefixes("user:1", "a", "user:"))
                .hasMessageContaining("no prefix may begin with another: \"user:1\" begins with \"user:\"");
        assertThatThrownBy(() -> TrackingOptions.prefixes("a", "a")).hasMessageContaining("\"a\" begins with \"a\"");
        assertThatThrownBy(() -> USERS.withQuiet(Duration.ofMillis(9)))
                .hasMessageContaining("quiet must be 10 ms to 3600000 ms, not 9 ms");
        assertThatThrownBy(() -> USERS.withBuffer(0)).hasMessageContaining("buffer must be 1 to 16777216, not 0");
    }
}
