// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.queue.FieldsCodec;
import io.millrace.queue.StreamQueue;
import io.millrace.queue.Worker;
import io.millrace.queue.WorkerStats;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Uses a Redis stream as the queue between a producer and two worker processes. If a worker is killed
 * ({@code kill -9}), the other worker takes over its unfinished jobs, and no job is lost.
 */
public final class StreamWorkQueue {

    static final String JOBS = "example:work";
    static final String DONE = "example:work:done";
    private static final String WORKERS = "workers";

    /** Long enough for a busy machine. A renewal of the lease has its own, shorter time limit. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(20);

    private StreamWorkQueue() {}

    /** Returns the queue of jobs. A job has one text field. */
    static StreamQueue<String> queue(RedisClient client) {
        return StreamQueue.of(client, JOBS, FieldsCodec.of("job", Codec.text()));
    }

    /**
     * With one argument, the URI, or without arguments: runs the producer and starts the workers. With a second
     * argument: runs the worker whose name is this argument.
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        ClientOptions options = ClientOptions.builder(RedisUri.parse(uri))
                .connectTimeout(COMMAND_TIMEOUT)
                .commandTimeout(COMMAND_TIMEOUT)
                .build();
        try (RedisClient client = RedisClient.connect(options)) {
            if (args.length > 1) {
                System.out.println(args[1] + ": " + work(client, args[1]));
                return;
            }
            produce(client, 1_000);
            // snippet: processes
            for (Process worker : List.of(start(uri, "worker-1"), start(uri, "worker-2"))) {
                int exit = worker.waitFor();
                if (exit != 0) { // the other worker has executed the jobs of this worker
                    System.out.println("a worker ended early: pid=" + worker.pid() + ", exit=" + exit);
                }
            }
            // end
            System.out.println("jobs done: " + client.call(Hashes.size(DONE)));
            client.call(Keys.delete(JOBS, DONE, queue(client).deadLetters()));
        }
    }

    /** Adds jobs to the stream. */
    static void produce(RedisClient client, int jobs) {
        // snippet: produce
        StreamQueue<String> queue = StreamQueue.of(client, JOBS, FieldsCodec.of("job", Codec.text()));
        List<String> ids = queue.pushAll(
                IntStream.range(0, jobs).mapToObj(job -> "job " + job).toList());
        // end
        System.out.println("jobs pushed: " + ids.size());
    }

    /** Does all jobs, including unfinished jobs of dead workers, until the queue is empty. */
    static WorkerStats work(RedisClient client, String name) throws InterruptedException {
        // snippet: work-queue
        StreamQueue<String> queue = StreamQueue.of(client, JOBS, FieldsCodec.of("job", Codec.text()));

        try (Worker worker = queue.worker(WORKERS, 20, job -> client.call(Hashes.increment(DONE, job.payload(), 1)))
                .name(name)
                .lease(Duration.ofSeconds(60)) // a worker that is silent for this long counts as dead
                .maxAttempts(10) // then the job moves to the dead letters, with the reason
                .endWhenEmpty()
                .start()) {
            worker.await();
            return worker.stats();
        }
        // end
    }

    /** Starts another process of this program as a worker. */
    static Process start(String uri, String name) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(StreamWorkQueue.class.getName(), uri, name));
        return new ProcessBuilder(command).inheritIO().start();
    }
}
