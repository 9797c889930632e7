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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that does the jobs of queues. The process writes to Redis how often each job was done, and its stats. The
 * process reads the names of the queues from the list {@code jobs:<name>}. The element {@code end} ends the process.
 */
final class WorkerProcess {

    /** The lease is so long that a live worker renews it in time even on a busy machine. */
    private static final Duration LEASE = Duration.ofSeconds(3);

    private static final long JOB_NANOS = 1_000_000;

    private final String name;
    private final RedisClient client;

    private WorkerProcess(String name, RedisClient client) {
        this.name = name;
        this.client = client;
    }

    public static void main(String[] arguments) throws InterruptedException {
        ExpectedLines.hide();
        RedisUri uri = RedisUri.parse("redis://127.0.0.1:" + arguments[0]);
        try (RedisClient client = RedisClient.connect(ClientOptions.builder(uri)
                .connectTimeout(Duration.ofSeconds(60))
                .connections(1)
                .name(arguments[1])
                .build())) {
            new WorkerProcess(arguments[1], client).work();
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
            threads.add(Thread.startVirtualThread(() -> work(QueueKind.valueOf(kindAndKey[0]), kindAndKey[1])));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void work(QueueKind queueKind, String key) {
        WorkerBuilder<String> builder = queueKind.worker(client, key, 4, job -> {
            if (job.isRepeated()) {
                client.call(Lists.pushRight(key + ":repeated", job.id()));
            }
            LockSupport.parkNanos(JOB_NANOS);
            Pipeline pipeline = client.pipeline();
            pipeline.add(Hashes.increment(key + ":effects", job.payload(), 1));
            pipeline.add(Hashes.increment(key + ":progress", name, 1));
            pipeline.run().forEach(result -> result.value());
            LockSupport.parkNanos(JOB_NANOS);
        });
        try (Worker worker = builder.name(name).lease(LEASE).endWhenEmpty().start()) {
            worker.await();
            WorkerStats stats = worker.stats();
            // On a busy machine, jobs that were taken ahead may wait too long for a place, and then go back to the
            // queue.
            boolean complete = stats.succeeded() + stats.returned() == stats.taken();
            client.call(Command.of("LPUSH", key + ":ended", complete ? "complete" : stats.toString()));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
