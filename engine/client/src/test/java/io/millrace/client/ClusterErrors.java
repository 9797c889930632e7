// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Replies;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedRedis;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the error replies of the nodes of a cluster. */
final class ClusterErrors {

    private ClusterErrors() {}

    /** Number of error replies with this code, since the start of the nodes or their last {@code CONFIG RESETSTAT}. */
    static long count(EmbeddedCluster cluster, String code) {
        Pattern form = Pattern.compile("errorstat_" + code + ":count=([0-9]+)");
        long count = 0;
        for (EmbeddedRedis node : cluster.nodes()) {
            // With fusion, the client would test permissions, and receive errors.
            try (RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.of(node.host(), node.port()))
                    .connections(1)
                    .fusion(Fusion.NONE)
                    .build())) {
                Matcher found = form.matcher(
                        client.call(Command.of("INFO", "errorstats").as(Replies::text)));
                count += found.find() ? Long.parseLong(found.group(1)) : 0;
            }
        }
        return count;
    }
}
