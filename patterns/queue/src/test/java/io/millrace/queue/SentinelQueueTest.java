// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedSentinels;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers on the primary that Sentinels name. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SentinelQueueTest {

    @ParameterizedTest
    @EnumSource
    void workerContinuesWithTheNewPrimary(QueueKind queueKind) throws Exception {
        List<String> later = List.of("later 1", "later 2", "later 3");
        Set<String> done = ConcurrentHashMap.newKeySet();
        try (EmbeddedSentinels servers = EmbeddedSentinels.start(EmbeddedOptions.defaults(), 1, Optional.empty());
                RedisClient client = RedisClient.connect(ClientOptions.of(RedisUri.parse(servers.uri())));
                Worker worker = queueKind
                        .worker(client, "feeds", 4, job -> done.add(job.payload()))
                        .stopOnShutdown(false)
                        .start()) {
            queueKind.push(client, "feeds", List.of("before"));
            Eventually.holds("the first job is done", () -> done.contains("before"));

            servers.firstPrimary().kill();
            client.call(Server.ping()); // waits for the new primary, because a PING may be sent again
            queueKind.push(client, "feeds", later);

            Eventually.holds("the jobs of the new primary are done", () -> done.containsAll(later));
            assertThat(worker.stats().failed()).isZero();
        }
    }
}
