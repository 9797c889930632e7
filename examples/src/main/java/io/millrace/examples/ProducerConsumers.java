// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.ClientOptions;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.Lists;
import io.millrace.client.Popped;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import io.millrace.client.RedisUri;
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
 * A producer puts jobs into a list, consumers wait for them, and all go home when the list is empty for good.
 *
 * <p>A job is done at most once: the server takes it from the list before its consumer has it, so a connection that is lost in
 * between loses it. Where each job counts, {@code Lists.awaitMove} it to a list of the consumer's own, and remove it from there
 * when it is done: then a job may be done twice, but none is lost.
 */
public final class ProducerConsumers {

    static final String JOBS = "example:jobs";
    private static final int CONSUMERS = 3;

    /** How long a consumer waits for a job, and so how soon it notices that there will be no more. */
    private static final Duration WAIT = Duration.ofMillis(500);

    private ProducerConsumers() {}

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        // Whoever waits on the server has a connection to himself meanwhile: a place in the pool for each of them.
        ClientOptions options =
                ClientOptions.builder(RedisUri.parse(uri)).poolSize(CONSUMERS).build();
        List<String> jobs = IntStream.range(0, 9).mapToObj(job -> "job " + job).toList();
        try (RedisClient client = RedisClient.connect(options)) {
            long done =
                    work(client, jobs, CONSUMERS, job -> System.out.println(Thread.currentThread() + " does " + job));
            System.out.println("done: " + done);
        }
    }

    /** Has {@code jobs} done by so many consumers, waits for them, and returns how many were done. */
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
                produced.set(true); // even if pushing has failed, or the consumers would wait for ever
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
            boolean noMore = produced.get(); // asked before the list is: what was put into it until now is found
            try {
                Optional<Popped<String, String>> job = client.call(Lists.awaitLeft(WAIT, JOBS));
                if (job.isPresent()) {
                    worker.accept(job.get().element());
                    done++;
                } else if (noMore) {
                    return done;
                }
            } catch (InterruptedCommandException e) {
                return done; // somebody wants this thread to end
            } catch (RedisException e) {
                System.err.println((e.maybeExecuted() ? "a job may be lost: " : "no job: ") + e.getMessage());
                TimeUnit.MILLISECONDS.sleep(WAIT.toMillis()); // Redis is in trouble: do not add to it
            }
        }
        // end
    }
}
