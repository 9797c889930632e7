// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Replies;
import io.millrace.client.command.StreamEntry;
import io.millrace.client.command.Streams;
import io.millrace.resp.Reply;
import java.util.LinkedHashMap;
import java.util.Map;

/** The two kinds of queue, for tests of both. */
enum QueueKind {
    LIST {
        @Override
        QueueSink<String> sink(RedisClient client, String key) {
            return ListQueue.of(key, Codec.text()).sink(client);
        }

        @Override
        QueueSource<String> source(RedisClient client, String key, ConsumerOptions options) {
            return ListQueue.of(key, Codec.text()).source(client, options);
        }

        @Override
        Map<String, String> pendingOf(String consumer, RedisClient client, String key) {
            Map<String, String> tasks = new LinkedHashMap<>();
            client.call(Hashes.getAll(new ListKeys(key).pendingOf(consumer))).forEach((id, held) -> {
                if (!id.equals("#")) {
                    tasks.put(id, held.substring(held.indexOf(' ') + 1));
                }
            });
            return tasks;
        }
    },
    STREAM {
        private static final String GROUP = "mills";

        private StreamQueue<String> queue(String key) {
            return StreamQueue.of(key, FieldsCodec.of("task", Codec.text()));
        }

        @Override
        QueueSink<String> sink(RedisClient client, String key) {
            return queue(key).sink(client);
        }

        @Override
        QueueSource<String> source(RedisClient client, String key, ConsumerOptions options) {
            return queue(key).source(client, GROUP, options);
        }

        @Override
        Map<String, String> pendingOf(String consumer, RedisClient client, String key) {
            Map<String, String> tasks = new LinkedHashMap<>();
            Reply pending = client.call(Command.of("XPENDING", key, GROUP, "-", "+", 10_000, consumer));
            for (Reply found : Replies.items(pending)) {
                String id = Replies.text(Replies.items(found).getFirst());
                StreamEntry<String> entry =
                        client.call(Streams.range(key, id, id, 1)).getFirst();
                tasks.put(id, String.valueOf(entry.fields().get("task")));
            }
            return tasks;
        }
    };

    abstract QueueSink<String> sink(RedisClient client, String key);

    abstract QueueSource<String> source(RedisClient client, String key, ConsumerOptions options);

    /** Returns the tasks that are pending for {@code consumer} on the server: a map from the task id to the task. */
    abstract Map<String, String> pendingOf(String consumer, RedisClient client, String key);
}
