// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.ClientOptions;
import io.millrace.client.Hashes;
import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.queue.ConsumerOptions;
import io.millrace.queue.FieldsCodec;
import io.millrace.queue.QueueAccount;
import io.millrace.queue.QueueSource;
import io.millrace.queue.StreamQueue;
import io.millrace.queue.TaskCodec;
import io.millrace.tasks.Batching;
import io.millrace.tasks.Flow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A stream of Redis as the queue between a producer and two workers, each a process of its own. Kill one of them while it works
 * ({@code kill -9}): the other one takes over what it had in hand, and nothing is lost.
 */
public final class StreamWorkQueue {

    static final String JOBS = "example:work";
    static final String DONE = "example:work:done";
    private static final String WORKERS = "workers";

    /** A third of the lease: so a connection that hangs keeps a worker that lives from its renewals for no longer than it may. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    /** A job has one field, a text; what all groups are done with is trimmed away. */
    private static final StreamQueue<String> QUEUE =
            StreamQueue.of(JOBS, FieldsCodec.of("job", TaskCodec.TEXT)).trimmingDone(0);

    private StreamWorkQueue() {}

    /** Without a second argument the producer; with one, the worker of that name. */
    public static void main(String[] args) throws IOException, InterruptedException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        ClientOptions options = ClientOptions.builder(RedisUri.parse(uri))
                .commandTimeout(COMMAND_TIMEOUT)
                .build();
        try (RedisClient client = RedisClient.connect(options)) {
            if (args.length > 1) {
                System.out.println(args[1] + ": " + work(client, args[1]));
                return;
            }
            produce(client, 1_000);
            for (Process worker : List.of(start(uri, "worker-1"), start(uri, "worker-2"))) {
                int exit = worker.waitFor();
                if (exit != 0) { // the other one has done its jobs
                    System.out.println("a worker ended before its time: pid=" + worker.pid() + ", exit=" + exit);
                }
            }
            System.out.println("jobs done: " + client.call(Hashes.size(DONE)));
            client.call(Keys.delete(JOBS, DONE, QUEUE.deadLetters()));
        }
    }

    /** Puts jobs into the stream, a hundred at a time. */
    static void produce(RedisClient client, int jobs) {
        List<String> numbered =
                IntStream.range(0, jobs).mapToObj(job -> "job " + job).toList();
        Flow.of(numbered).batches(Batching.of(100)).run(QUEUE.sink(client));
    }

    /** Does what there is, and what workers that died had in hand, until nothing is left. */
    static QueueAccount work(RedisClient client, String name) {
        // snippet: work-queue
        ConsumerOptions options = ConsumerOptions.DEFAULT
                .consumer(name)
                .lease(Duration.ofSeconds(6)) // whoever is not heard of for so long is taken for dead
                .maxDeliveries(3) // then the job is put aside, with the reason
                .endingWhenEmpty();

        QueueSource<String> jobs = QUEUE.source(client, WORKERS, options);
        Flow.from(jobs)
                .name(name)
                .consumers(20)
                .deadline(Duration.ofSeconds(30))
                .carryOn() // a job that fails comes back
                .run(job -> client.call(Hashes.increment(DONE, job.task(), 1)));
        return jobs.account();
        // end
    }

    /** Another process that runs this program as a worker. */
    static Process start(String uri, String name) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(StreamWorkQueue.class.getName(), uri, name));
        return new ProcessBuilder(command).inheritIO().start();
    }
}
