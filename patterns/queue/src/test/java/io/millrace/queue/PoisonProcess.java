// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A process with a worker of 20 places that ends when the queue is empty. The job {@code halt} ends the process at
 * once, as a failure of native code does. The job {@code exit} ends the process in an orderly way.
 */
final class PoisonProcess {

    static final int POISONED = 99;

    private static final long JOB_NANOS = 2_000_000;

    private PoisonProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        ExpectedLines.hide();
        RedisUri uri = RedisUri.parse("redis://127.0.0.1:" + arguments[0]);
        QueueKind queueKind = QueueKind.valueOf(arguments[1]);
        try (RedisClient client = RedisClient.connect(ClientOptions.builder(uri)
                .connectTimeout(Duration.ofSeconds(60))
                .build())) {
            WorkerBuilder<String> builder = queueKind.worker(client, "feeds", 20, job -> {
                if (job.payload().equals("halt")) {
                    Runtime.getRuntime().halt(POISONED);
                }
                if (job.payload().equals("exit")) {
                    System.exit(POISONED);
                }
                LockSupport.parkNanos(JOB_NANOS);
                client.call(Hashes.increment("effects", job.payload(), 1));
            });
            try (Worker worker = TestJobs.draining(builder)
                    .stopOnShutdown(true)
                    .shutdownGrace(Duration.ofMillis(500))
                    .start()) {
                worker.await();
            }
        }
    }
}
