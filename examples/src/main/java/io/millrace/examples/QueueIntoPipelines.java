// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Result;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts page visits. The threads of a service put the visits into a bounded queue in this process. Another thread
 * takes the waiting visits from the queue and sends them in pipelines.
 */
public final class QueueIntoPipelines {

    static final String VISITS = "example:visits:";

    private final BlockingQueue<String> queue = new ArrayBlockingQueue<>(1_000);
    private final AtomicInteger dropped = new AtomicInteger();

    /** Written by the thread that waits for the service, read by the thread that sends. */
    private volatile boolean ended;

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        List<String> pages = List.of("home", "news", "about");
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            client.call(Strings.set(VISITS + "about", "not a number")); // the visits of this page cannot be counted
            System.out.println(new QueueIntoPipelines().count(client, Collections.nCopies(2_000, pages)));
            client.call(Keys.delete(pages.stream().map(VISITS::concat).toArray(String[]::new)));
        }
    }

    /** Makes one request for each list of pages, four requests at a time. Returns the number of visits by outcome. */
    Map<String, Integer> count(RedisClient client, List<List<String>> requests)
            throws InterruptedException, ExecutionException {
        List<Callable<Boolean>> visits = requests.stream().map(this::visitAll).toList();
        try (ExecutorService sender = Executors.newVirtualThreadPerTaskExecutor();
                ExecutorService service = Executors.newFixedThreadPool(4)) {
            Future<Map<String, Integer>> outcomes = sender.submit(() -> send(client));
            try {
                for (Future<Boolean> visited : service.invokeAll(visits)) {
                    visited.get();
                }
            } finally {
                ended = true; // also after a failure, because the sender ends only then
            }
            Map<String, Integer> counts = outcomes.get();
            counts.put("dropped", dropped.get());
            return counts;
        }
    }

    private Callable<Boolean> visitAll(List<String> pages) {
        return () -> {
            for (String page : pages) {
                visit(page);
            }
            return true;
        };
    }

    // snippet: visit
    /** Called by all threads of the service. Waits only while the queue is full. */
    private void visit(String page) throws InterruptedException {
        if (!queue.offer(page, 10, TimeUnit.SECONDS)) {
            dropped.incrementAndGet();
        }
    }

    /** Called by one thread. Returns when the service has ended and the queue is empty. */
    private Map<String, Integer> send(RedisClient client) throws InterruptedException {
        Map<String, Integer> outcomes = new TreeMap<>();
        List<String> pages = new ArrayList<>();
        Pipeline pipeline = client.pipeline();
        while (true) {
            boolean noMore = ended; // read before the queue, so that no visit is missed
            String first = queue.poll(10, TimeUnit.MILLISECONDS);
            if (first != null) {
                pages.add(first);
                queue.drainTo(pages, 499); // all waiting visits, at most 500 in one pipeline
                pages.forEach(page -> pipeline.add(Strings.increment(VISITS + page)));
                for (Result<?> result : pipeline.run()) { // in the order of the commands
                    outcomes.merge(meaningOf(result.outcome()), 1, Integer::sum);
                }
                pages.clear();
            } else if (noMore) {
                return outcomes;
            }
        }
    }
    // end

    private static String meaningOf(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Ok ok -> "counted";
            case Outcome.Failed failed -> failed.error().message();
            case Outcome.Refused refused -> "not counted";
            case Outcome.TimedOut timedOut -> "possibly counted";
            case Outcome.Lost lost -> lost.maybeExecuted() ? "possibly counted" : "not counted";
        };
    }
}
