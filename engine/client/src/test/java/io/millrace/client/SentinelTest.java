// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.PubSub;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.EmbeddedSentinels;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests clients of a real primary with a replica, which real Sentinels watch. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SentinelTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private static EmbeddedSentinels start(int sentinels) {
        return EmbeddedSentinels.start(EmbeddedOptions.defaults(), sentinels, Optional.empty());
    }

    private static void assertStored(EmbeddedRedis server, String key) {
        try (RedisClient direct = RedisClient.connect(WatchedClients.uri(server))) {
            assertThat(direct.call(Strings.get(key))).contains("v");
        }
    }

    private static boolean startFailover(RedisClient sentinel) {
        try {
            sentinel.call(Command.of("SENTINEL FAILOVER", EmbeddedSentinels.PRIMARY_NAME));
            return true;
        } catch (ErrorReplyException notYet) {
            // The Sentinel has not examined the replica yet.
            return false;
        }
    }

    private static void set(RedisClient client, String key) {
        assertThat(client.call(Strings.set(key, "v").idempotently())).isEqualTo("OK");
    }

    @Test
    void everyConnectionContinuesWithTheNewPrimaryAfterTheOldOneWasKilled() {
        try (EmbeddedSentinels servers = EmbeddedSentinels.start();
                RedisClient client = clients.connect(RedisUri.parse(servers.uri()));
                Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {
            set(client, "before");
            client.borrow().close();

            servers.firstPrimary().kill();
            set(client, "after");

            assertStored(servers.firstReplica(), "after");
            try (DedicatedConnection own = client.borrow()) {
                own.call(Strings.set("dedicated", "v"));
            }
            Eventually.await("the subscription is confirmed again", subscription::isOpen);
            client.call(PubSub.publish("news", "hello"));
            assertThat(subscription.poll(WatchedClients.TIMEOUT).map(Message::text))
                    .contains("hello");
            assertStored(servers.firstReplica(), "dedicated");
        }
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void hungPrimaryIsLeftAsSoonAsASentinelNamesAnother(Protocol protocol) {
        try (EmbeddedSentinels servers = start(1);
                RedisClient client =
                        clients.connect(RedisUri.parse(servers.uri()), options -> options.protocol(protocol))) {
            set(client, "before");
            client.borrow().close();
            servers.firstPrimary().pause();

            // The time limit of this command is a minute, and the connection to the hung primary stays open.
            set(client, "after");

            assertStored(servers.firstReplica(), "after");
            assertThat(client.stats().reconnections()).isEqualTo(1);
            servers.firstPrimary().resume();
        }
    }

    @Test
    void plannedFailoverChangesTheConnections() {
        try (EmbeddedSentinels servers = start(1);
                RedisClient client = clients.connect(RedisUri.parse(servers.uri()))) {
            set(client, "before");
            EmbeddedRedis sentinel = servers.sentinels().getFirst();

            try (RedisClient operator = clients.connect(WatchedClients.uri(sentinel))) {
                Eventually.await("the Sentinel starts a failover", () -> startFailover(operator));
            }
            Eventually.await("the connection was replaced", () -> client.stats().reconnections() > 0);
            set(client, "after");

            assertStored(servers.firstReplica(), "after");
        }
    }

    @Test
    void sentinelsAndPrimaryHaveLoginsOfTheirOwn() {
        EmbeddedOptions withPassword = EmbeddedOptions.defaults().withPassword("d4ta");
        try (EmbeddedSentinels servers = EmbeddedSentinels.start(withPassword, 1, Optional.of("w4tch"))) {
            RedisUri plain = RedisUri.parse(servers.uri());
            RedisUri both = plain.withPassword("d4ta").withSentinelLogin(Credentials.ofPassword("w4tch"));

            try (RedisClient client = clients.connect(both)) {
                set(client, "key");
            }
            assertThatThrownBy(() -> clients.connect(plain.withPassword("d4ta")))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining(
                            "Sentinel " + servers.sentinels().getFirst().host())
                    .hasMessageContaining("NOAUTH");
            assertThatThrownBy(() -> clients.connect(plain.withSentinelLogin(Credentials.ofPassword("w4tch"))))
                    .isInstanceOfSatisfying(
                            ConnectException.class,
                            e -> assertThat(e.reason()).isEqualTo(ConnectException.Reason.AUTHENTICATION))
                    .hasMessageContaining("127.0.0.1:" + servers.firstPrimary().port() + ": ");
            assertThatThrownBy(() -> clients.connect(both.withSentinelLogin(Credentials.ofPassword("wr0ng"))))
                    .hasMessageContaining("WRONGPASS")
                    .satisfies(e -> assertThat(e.toString()).doesNotContain("wr0ng", "d4ta"));
        }
    }

    @Test
    void bulkWriterWritesToThePrimary() {
        try (EmbeddedSentinels servers = start(1);
                RedisClient client = clients.connect(RedisUri.parse(servers.uri()));
                BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
            writer.begin(Strings.SET).arg("bulk").arg("v").end(1);
            writer.finish();

            assertStored(servers.firstPrimary(), "bulk");
        }
    }
}
