// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.BucketLayout;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A map whose buckets have the slots of all nodes of a cluster. */
class BucketMapOnClusterTest {

    private static EmbeddedCluster cluster;
    private static RedisClient client;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
        client = RedisClient.connect(RedisUri.parse(cluster.uri()));
    }

    @AfterAll
    static void closeCluster() {
        client.close();
        cluster.close();
    }

    @Test
    void pairsOfManyBucketsAreWrittenReadMeasuredAndRemoved() {
        BucketMap<String> users = BucketMap.of(client, BucketLayout.byNumber("user:", 100), Codec.text());
        Map<String, String> pairs = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            pairs.put("user:" + i, "name " + i);
        }

        users.putAll(pairs);
        users.put("user:20000", "name 20000");

        assertThat(users.getAll(pairs.keySet())).isEqualTo(pairs);
        assertThat(users.get("user:20000")).contains("name 20000");
        assertThat(client.call(Server.size())).isEqualTo(201);
        BucketMemory memory = users.memory(1_000);
        assertThat(memory.buckets()).isEqualTo(201);
        assertThat(users.remove("user:20000")).isTrue();
        assertThat(users.removeAll(List.copyOf(pairs.keySet()))).isEqualTo(20_000);
        assertThat(client.call(Server.size())).isZero();
    }
}
