// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Lists;
import java.time.Duration;

/**
 * A process with a worker of two places. The job {@code short} ends when the test pushes to {@code end-short}. The job
 * {@code long} never ends.
 */
final class TerminatedProcess {

    private TerminatedProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        RedisUri uri = RedisUri.parse("redis://127.0.0.1:" + arguments[0]);
        try (RedisClient client = RedisClient.connect(ClientOptions.builder(uri)
                .connectTimeout(Duration.ofSeconds(60))
                .build())) {
            Worker worker = QueueKind.valueOf(arguments[1])
                    .worker(client, "feeds", 2, job -> {
                        client.call(Lists.pushLeft("began", job.payload()));
                        if (job.payload().equals("long")) {
                            Thread.currentThread().join();
                        }
                        client.call(Lists.awaitRight(Duration.ofSeconds(60), "end-" + job.payload()));
                        client.call(Lists.pushLeft("done", job.payload()));
                    })
                    .shutdownGrace(Duration.ofSeconds(5))
                    .start();
            Thread.startVirtualThread(() -> {
                while (worker.stats().state() == WorkerState.RUNNING) {
                    Thread.onSpinWait();
                }
                client.call(Lists.pushLeft("closing", "now"));
            });
            worker.await();
        }
    }
}
