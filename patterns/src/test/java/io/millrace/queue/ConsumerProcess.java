// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.Hashes;
import io.millrace.client.Lists;
import io.millrace.client.Pipeline;
import io.millrace.client.Popped;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.tasks.Flow;
import io.millrace.tasks.FlowReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that consumes queues, and leaves its effects and its accounts in Redis. It is told which queue by a list of its own,
 * {@code jobs:<name>}; {@code end} ends it.
 */
final class ConsumerProcess {

    /** Long enough for nobody who lives to miss it on a machine that is busy. */
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
        try (RedisClient client = RedisClient.connect(
                ClientOptions.builder(uri).connections(1).name(arguments[1]).build())) {
            new ConsumerProcess(arguments[1], client).work();
        }
    }

    private void work() throws InterruptedException {
        client.call(Lists.pushLeft("ready:" + name, "ready"));
        List<Thread> threads = new ArrayList<>();
        while (true) {
            Optional<Popped<String, String>> job =
                    client.call(Lists.awaitRight(Duration.ofSeconds(60), "jobs:" + name));
            if (job.isEmpty() || job.get().element().equals("end")) {
                break;
            }
            String[] kindAndKey = job.get().element().split(" ", 2);
            threads.add(Thread.startVirtualThread(() -> consume(Kind.valueOf(kindAndKey[0]), kindAndKey[1])));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void consume(Kind kind, String key) {
        QueueSource<String> source = kind.source(client, key, OPTIONS.consumer(name));
        FlowReport<?> report = Flow.from(source).consumers(4).buffer(20).run(delivery -> {
            LockSupport.parkNanos(TASK_NANOS);
            Pipeline pipeline = client.pipeline();
            pipeline.add(Hashes.increment(key + ":effects", delivery.task(), 1));
            pipeline.add(Hashes.increment(key + ":progress", name, 1));
            pipeline.run().forEach(result -> result.value());
            LockSupport.parkNanos(TASK_NANOS);
        });
        QueueAccount account = source.account();
        if (!account.redeliveredIds().isEmpty()) {
            client.call(Lists.pushRight(
                    key + ":redelivered", account.redeliveredIds().toArray(String[]::new)));
        }
        boolean closed = account.delivered() == report.counts().produced()
                && account.acknowledged() == report.counts().succeeded()
                && account.acknowledged() == account.delivered();
        client.call(Command.of("LPUSH", key + ":ended", closed ? "closed" : account + "; " + report.counts()));
    }
}
