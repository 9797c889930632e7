// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;

/** Commands that several libraries send in pipelines. The keys and values of all libraries are bytes. */
interface PipelinedData extends BulkData {

    /** What the server counts, in upper case, such as {@code HSET}. */
    String command();

    /** The words of each command, for {@code redis-cli}. */
    Stream<List<String>> words();

    /** Starts at the first command. */
    Walk walk();

    /** Sends one command after the other. Used by one thread. */
    interface Walk {

        /** Adds the next command to a pipeline of Jedis. */
        Response<?> addTo(AbstractPipeline pipeline);

        /** Sends the next command by Lettuce. */
        RedisFuture<?> send(RedisClusterAsyncCommands<byte[], byte[]> async);
    }
}
