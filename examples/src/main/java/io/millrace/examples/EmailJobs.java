// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.queue.Cron;
import io.millrace.queue.DeadJob;
import io.millrace.queue.JobOptions;
import io.millrace.queue.JobQueue;
import io.millrace.queue.RetryBackoff;
import io.millrace.queue.Worker;
import io.millrace.queue.WorkerBuilder;
import java.time.Duration;
import java.time.ZoneId;

/** Sends e-mails as jobs: at once, later, at times of the day, and again after failures. */
public final class EmailJobs {

    private EmailJobs() {}

    public static void main(String[] args) throws InterruptedException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            sendTwo(client);
            sendWithRetries(client);
            JobQueue.of(client, "example:emails", Codec.text()).delete();
        }
    }

    private static void sendTwo(RedisClient client) throws InterruptedException {
        // snippet: queue
        JobQueue<String> queue = JobQueue.of(client, "example:emails", Codec.text());
        queue.push("ada@example.org");
        queue.push("grace@example.org", JobOptions.after(Duration.ofSeconds(1)));

        try (Worker worker = queue.worker(20, job -> send(job.payload()))
                .endWhenEmpty() // without this line, the worker runs until the process gets a SIGTERM
                .start()) {
            worker.await();
        }
        // end
    }

    private static void sendWithRetries(RedisClient client) throws InterruptedException {
        JobQueue<String> queue = JobQueue.of(client, "example:emails", Codec.text());
        queue.push("alan@example.org");
        queue.push("nobody@example.com");
        try (Worker worker = configured(queue)
                .maxAttempts(2) // so that this example ends soon
                .endWhenEmpty()
                .start()) {
            worker.await();
        }
        operate(queue);
    }

    private static WorkerBuilder<String> configured(JobQueue<String> queue) {
        // snippet: options
        return queue.worker(20, job -> send(job.payload()))
                .timeout(Duration.ofMinutes(1)) // then the job is interrupted, and has failed
                .maxAttempts(15) // then the job is dead, after 1 h 36 min to 3 h 13 min
                .backoff(RetryBackoff.exponential(Duration.ofSeconds(5), Duration.ofMinutes(30)))
                .onDead((job, cause) -> System.out.println("not sent: " + job.payload()));
        // end
    }

    private static void operate(JobQueue<String> queue) {
        // snippet: operate
        queue.recurring("digest", Cron.of("30 6 * * MON-FRI", ZoneId.of("Europe/Berlin")), "digest@example.org");

        for (DeadJob dead : queue.dead(10)) {
            System.out.println(dead.attempts() + " attempts, " + dead.reason());
        }
        long again = queue.redrive(100); // after the cause is mended
        // end
        System.out.println("again: " + again + ", " + queue.recurringJobs().size() + " recurring");
    }

    private static void send(String address) {
        if (address.endsWith(".com")) {
            throw new IllegalStateException("no such mailbox");
        }
        System.out.println("sent: " + address);
    }
}
