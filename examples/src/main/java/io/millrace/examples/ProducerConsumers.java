// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Lists;
import io.millrace.client.command.PopResult;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A producer pushes jobs to a list. Consumers block until jobs arrive. When the producer has ended and the list is
 * empty, all consumers end.
 *
 * <p>A job is done at most once: the server removes the job from the list before the consumer receives it. If the
 * connection is lost between these two steps, the job is lost, too. If no job may be lost, move each job with {@code
 * Lists.awaitMove} to a list of the consumer, and remove the job there when the job is done. A job may then be done
 * twice, but no job is lost.
 */
public final class ProducerConsumers {

    static final String JOBS = "example:jobs";
    private static final int CONSUMERS = 3;

    /**
     * Maximum time for which a consumer blocks while the list is empty. When the producer has ended, a blocked consumer
     * notices it after at most this time.
     */
    private static final Duration WAIT = Duration.ofMillis(500);

    private ProducerConsumers() {}

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        // A command that blocks on the server needs a dedicated connection, so the pool has one for each consumer.
        ClientOptions options =
                ClientOptions.builder(RedisUri.parse(uri)).poolSize(CONSUMERS).build();
        List<String> jobs = IntStream.range(0, 9).mapToObj(job -> "job " + job).toList();
        try (RedisClient client = RedisClient.connect(options)) {
            long done =
                    work(client, jobs, CONSUMERS, job -> System.out.println(Thread.currentThread() + " does " + job));
            System.out.println("done: " + done);
        }
    }

    /**
     * Runs {@code jobs} with {@code consumers} consumers, waits until all consumers have ended, and returns the number
     * of jobs done.
     */
    static long work(RedisClient client, List<String> jobs, int consumers, Consumer<String> worker)
            throws InterruptedException, ExecutionException {
        AtomicBoolean produced = new AtomicBoolean();
        List<Future<Long>> consuming = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < consumers; i++) {
                consuming.add(threads.submit(() -> consume(client, produced, worker)));
            }
            try {
                jobs.forEach(job -> client.call(Lists.pushRight(JOBS, job)));
            } finally {
                produced.set(true); // also after a failed push, otherwise the consumers would never end
            }
        }
        long done = 0;
        for (Future<Long> consumed : consuming) {
            done += consumed.get();
        }
        return done;
    }

    private static long consume(RedisClient client, AtomicBoolean produced, Consumer<String> worker)
            throws InterruptedException {
        // snippet: consumer
        for (long done = 0; ; ) {
            boolean noMore = produced.get(); // read before the list, so that no earlier job is missed
            try {
                Optional<PopResult<String, String>> job = client.call(Lists.awaitLeft(WAIT, JOBS));
                if (job.isPresent()) {
                    worker.accept(job.get().element());
                    done++;
                } else if (noMore) {
                    return done;
                }
            } catch (InterruptedCommandException e) {
                return done; // this thread was asked to end
            } catch (RedisException e) {
                System.err.println((e.maybeExecuted() ? "a job may be lost: " : "no job was lost: ") + e.getMessage());
                TimeUnit.MILLISECONDS.sleep(WAIT.toMillis()); // Redis has a problem: do not add load
            }
        }
        // end
    }
}
