// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.ClientOptions;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Lists;
import io.millrace.client.command.PopResult;
import io.millrace.tasks.TaskFlow;
import io.millrace.tasks.TaskFlowReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that consumes the tasks of queues. The process writes to Redis how often each task was executed, and its
 * stats. The process reads the names of the queues from the list {@code jobs:<name>}. The element {@code end} ends the
 * process.
 */
final class ConsumerProcess {

    /** The lease is so long that a live consumer renews it in time even on a busy machine. */
    static final ConsumerOptions OPTIONS =
            ConsumerOptions.DEFAULT.lease(Duration.ofSeconds(3)).batch(20).endingWhenEmpty();

    private static final long TASK_NANOS = 1_000_000;

    private final String name;
    private final RedisClient client;

    private ConsumerProcess(String name, RedisClient client) {
        this.name = name;
        this.client = client;
    }

    public static void main(String[] arguments) throws InterruptedException {
        RedisUri uri = RedisUri.parse("redis://127.0.0.1:" + arguments[0]);
        try (RedisClient client = RedisClient.connect(ClientOptions.builder(uri)
                .connectTimeout(Duration.ofSeconds(60))
                .connections(1)
                .name(arguments[1])
                .build())) {
            new ConsumerProcess(arguments[1], client).work();
        }
    }

    private void work() throws InterruptedException {
        client.call(Lists.pushLeft("ready:" + name, "ready"));
        List<Thread> threads = new ArrayList<>();
        while (true) {
            Optional<PopResult<String, String>> job =
                    client.call(Lists.awaitRight(Duration.ofSeconds(60), "jobs:" + name));
            if (job.isEmpty() || job.get().element().equals("end")) {
                break;
            }
            String[] kindAndKey = job.get().element().split(" ", 2);
            threads.add(Thread.startVirtualThread(() -> consume(QueueKind.valueOf(kindAndKey[0]), kindAndKey[1])));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void consume(QueueKind queueKind, String key) {
        QueueSource<String> source = queueKind.source(client, key, OPTIONS.consumer(name));
        TaskFlowReport<?> report = TaskFlow.from(source).consumers(4).buffer(20).run(delivery -> {
            LockSupport.parkNanos(TASK_NANOS);
            Pipeline pipeline = client.pipeline();
            pipeline.add(Hashes.increment(key + ":effects", delivery.task(), 1));
            pipeline.add(Hashes.increment(key + ":progress", name, 1));
            pipeline.run().forEach(result -> result.value());
            LockSupport.parkNanos(TASK_NANOS);
        });
        QueueStats stats = source.stats();
        if (!stats.redeliveredIds().isEmpty()) {
            client.call(
                    Lists.pushRight(key + ":redelivered", stats.redeliveredIds().toArray(String[]::new)));
        }
        boolean closed = stats.delivered() == report.counts().produced()
                && stats.acknowledged() == report.counts().succeeded()
                && stats.acknowledged() == stats.delivered();
        client.call(Command.of("LPUSH", key + ":ended", closed ? "closed" : stats + "; " + report.counts()));
    }
}
