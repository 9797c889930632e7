// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.StreamEntry;
import io.millrace.client.command.Streams;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The two kinds of queue, for tests of both. */
enum QueueKind {
    JOBS {
        private JobQueue<String> queue(RedisClient client, String key) {
            return JobQueue.of(client, key, Codec.text());
        }

        @Override
        List<String> push(RedisClient client, String key, List<String> payloads) {
            return queue(client, key).pushAll(payloads);
        }

        @Override
        WorkerBuilder<String> worker(RedisClient client, String key, int concurrency, JobHandler<String> handler) {
            return queue(client, key).worker(concurrency, handler);
        }

        @Override
        QueueBackend<String> backend(RedisClient client, String key, WorkerOptions options) {
            return new JobBackend<>(client, new JobKeys(key), Codec.text(), options, 100);
        }

        @Override
        Map<String, String> heldBy(String worker, RedisClient client, String key) {
            JobKeys keys = new JobKeys(key);
            Map<String, String> jobs = new LinkedHashMap<>();
            client.call(Command.of("ZRANGE", keys.workers(), 0, -1).as(Replies.list(Replies::text))).stream()
                    .filter(id -> id.startsWith(worker + "#"))
                    .flatMap(id ->
                            client.call(Lists.range(keys.taken(id).getBytes(StandardCharsets.UTF_8), 0, -1)).stream())
                    .map(bytes -> JobElement.read(bytes, "", 0))
                    .forEach(element -> jobs.put(element.id(), element.decode(Codec.text())));
            return jobs;
        }

        @Override
        List<String> dead(RedisClient client, String key) {
            return queue(client, key).dead(1_000).stream()
                    .map(job -> new String(job.payload(), StandardCharsets.UTF_8))
                    .toList();
        }
    },
    STREAM {
        private static final String GROUP = "mills";

        private StreamQueue<String> queue(RedisClient client, String key) {
            return StreamQueue.of(client, key, FieldsCodec.of("task", Codec.text()));
        }

        @Override
        List<String> push(RedisClient client, String key, List<String> payloads) {
            return queue(client, key).pushAll(payloads);
        }

        @Override
        WorkerBuilder<String> worker(RedisClient client, String key, int concurrency, JobHandler<String> handler) {
            return queue(client, key).worker(GROUP, concurrency, handler);
        }

        @Override
        QueueBackend<String> backend(RedisClient client, String key, WorkerOptions options) {
            return new StreamBackend<>(
                    client, new StreamGroup(key, GROUP, "0", 0, 100), FieldsCodec.of("task", Codec.text()), options);
        }

        @Override
        Map<String, String> heldBy(String worker, RedisClient client, String key) {
            Map<String, String> jobs = new LinkedHashMap<>();
            Reply pending = client.call(Command.of("XPENDING", key, GROUP, "-", "+", 10_000, worker));
            for (Reply found : Replies.items(pending)) {
                String id = Replies.text(Replies.items(found).getFirst());
                StreamEntry<String> entry =
                        client.call(Streams.range(key, id, id, 1)).getFirst();
                jobs.put(id, String.valueOf(entry.fields().get("task")));
            }
            return jobs;
        }

        @Override
        List<String> dead(RedisClient client, String key) {
            return client.call(Streams.range(queue(client, key).deadLetters(), "-", "+", 1_000)).stream()
                    .map(entry -> String.valueOf(entry.fields().get("task")))
                    .toList();
        }
    };

    abstract List<String> push(RedisClient client, String key, List<String> payloads);

    abstract WorkerBuilder<String> worker(RedisClient client, String key, int concurrency, JobHandler<String> handler);

    /** Returns the calls of a worker to the server. */
    abstract QueueBackend<String> backend(RedisClient client, String key, WorkerOptions options);

    /** Returns the jobs that a worker holds on the server: a map from the id to the payload. */
    abstract Map<String, String> heldBy(String worker, RedisClient client, String key);

    /** Returns the payloads of the dead jobs. */
    abstract List<String> dead(RedisClient client, String key);
}
