// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.EmbeddedSentinels;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests clients that reach the servers of Sentinels at other addresses than the Sentinels name. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SentinelAddressTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private static String entry(EmbeddedRedis server, FaultProxy proxy) {
        return server.host() + ":" + server.port() + "=" + proxy.host() + ":" + proxy.port();
    }

    private static FaultProxy proxy(EmbeddedRedis server) {
        return FaultProxy.inFrontOf(server.host(), server.port());
    }

    @Test
    void primaryIsReachedAtItsMappedAddressBeforeAndAfterAFailover() {
        try (EmbeddedSentinels servers = EmbeddedSentinels.start(EmbeddedOptions.defaults(), 1, Optional.empty());
                FaultProxy ofPrimary = proxy(servers.firstPrimary());
                FaultProxy ofReplica = proxy(servers.firstReplica())) {
            AddressMap map = AddressMap.of(
                    List.of(entry(servers.firstPrimary(), ofPrimary), entry(servers.firstReplica(), ofReplica)));
            try (RedisClient client =
                    clients.connect(RedisUri.parse(servers.uri()), options -> options.addressMap(map))) {
                client.call(Strings.set("key", "before").idempotently());
                assertThat(ofPrimary.acceptedConnections()).isPositive();

                // The connection stays open, so only the message of the Sentinel names the new primary.
                servers.firstPrimary().pause();
                client.call(Strings.set("key", "after").idempotently());

                assertThat(ofReplica.acceptedConnections()).isPositive();
                servers.firstPrimary().resume();
            }
        }
    }
}
