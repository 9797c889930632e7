// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The number of commands that the server executes, including the commands in scripts. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CommandCostTest {

    private static final int WORKERS = 20;
    private static final Pattern CALLS = Pattern.compile("cmdstat_(?<name>[^:]+):calls=(?<calls>\\d+)");

    /** Commands of the test itself, and of new connections. */
    private static final List<String> IGNORED =
            List.of("info", "ping", "hello", "client|setname", "client|setinfo", "client", "select", "command");

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @ParameterizedTest
    @EnumSource
    void idleWorkerSendsAtMostFiveCommandsASecond(QueueKind queueKind) throws Exception {
        RedisClient client = REDIS.client();
        List<Worker> workers = start(queueKind, client, WorkerOptions.LEASE.defaultValue(), new AtomicInteger());

        double rate = idleRate(client, 5);
        close(workers);

        System.out.println("CommandCostTest: kind=" + queueKind + ", idleCommandsPerSecond=" + rate / WORKERS);
        assertThat(rate).isLessThanOrEqualTo(5 * WORKERS);
    }

    /**
     * Subtracts the commands that idle workers send. The lease is so long that no renewal and no claim falls into the test.
     * Each of the five periodic commands of each worker may fall into the measured time once more than at the idle rate.
     */
    @ParameterizedTest
    @CsvSource({"JOBS, 300, 1", "JOBS, 10, 30", "JOBS, 1, 2000", "STREAM, 300, 1", "STREAM, 10, 30", "STREAM, 1, 2000"})
    void jobNeedsAtMostThreeCommands(QueueKind queueKind, int rounds, int jobsAtOnce) throws Exception {
        RedisClient client = REDIS.client();
        int jobs = rounds * jobsAtOnce;
        AtomicInteger done = new AtomicInteger();
        List<Worker> workers = start(queueKind, client, Duration.ofHours(1), done);
        double idleRate = idleRate(client, 3);
        long start = System.nanoTime();
        long before = calls(client);

        for (int round = 1; round <= rounds; round++) {
            int sum = round * jobsAtOnce;
            List<String> unused = queueKind.push(client, "feeds", TestJobs.payloads(jobsAtOnce));
            Eventually.holds("the jobs are done", () -> done.get() >= sum);
        }
        Eventually.holds("all jobs are acknowledged", () -> succeeded(workers) == jobs);
        long commands = calls(client) - before;
        double seconds = (System.nanoTime() - start) / 1e9;
        close(workers);

        double ofJobs = commands - idleRate * seconds;
        System.out.println("CommandCostTest: kind=" + queueKind + ", jobs=" + jobs + ", jobsAtOnce=" + jobsAtOnce
                + ", commandsPerJob=" + ofJobs / jobs + ", seconds=" + seconds);
        assertThat(done).hasValue(jobs);
        assertThat(ofJobs).isLessThanOrEqualTo(3 * jobs + 5 * WORKERS);
    }

    /** Returns the number of commands a second of idle workers. */
    private static double idleRate(RedisClient client, int seconds) {
        Eventually.holds("all workers wait", () -> blocked(client) == WORKERS);
        long start = System.nanoTime();
        long before = calls(client);
        Eventually.holds("the time has passed", () -> System.nanoTime() - start > seconds * 1_000_000_000L);
        return (calls(client) - before) / ((System.nanoTime() - start) / 1e9);
    }

    private static long succeeded(List<Worker> workers) {
        return workers.stream().mapToLong(worker -> worker.stats().succeeded()).sum();
    }

    private static List<Worker> start(QueueKind queueKind, RedisClient client, Duration lease, AtomicInteger done) {
        List<Worker> workers = new ArrayList<>();
        IntStream.range(0, WORKERS)
                .forEach(i -> workers.add(queueKind
                        .worker(client, "feeds", 20, job -> done.incrementAndGet())
                        .lease(lease)
                        .stopOnShutdown(false)
                        .start()));
        return workers;
    }

    /** Closes the workers at the same time. Each close waits for the end of a {@code BLMOVE}. */
    private static void close(List<Worker> workers) throws InterruptedException {
        List<Thread> closing = workers.stream()
                .map(worker -> Thread.startVirtualThread(worker::close))
                .toList();
        for (Thread thread : closing) {
            thread.join();
        }
    }

    private static long blocked(RedisClient client) {
        String clients = client.call(Command.of("INFO", "clients").as(Replies::text));
        return Long.parseLong(clients.replaceAll("(?s).*blocked_clients:(\\d+).*", "$1"));
    }

    private static long calls(RedisClient client) {
        return CALLS.matcher(client.call(Command.of("INFO", "commandstats").as(Replies::text)))
                .results()
                .filter(result -> !IGNORED.contains(result.group(1)))
                .mapToLong(result -> Long.parseLong(result.group(2)))
                .sum();
    }
}
