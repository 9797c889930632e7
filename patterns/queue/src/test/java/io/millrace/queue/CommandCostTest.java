// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
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
    void idleWorkerSendsAtMostFiveCommandsASecondAndAJobNeedsAtMostThree(QueueKind queueKind) throws Exception {
        RedisClient client = REDIS.client();
        AtomicInteger done = new AtomicInteger();
        List<Worker> workers = start(queueKind, client, done);
        Eventually.holds("all workers wait", () -> blocked(client) == WORKERS);
        long start = System.nanoTime();
        long before = calls(client);

        for (int i = 1; i <= 30; i++) {
            int number = i;
            List<String> unused = queueKind.push(client, "feeds", List.of("t" + i));
            Eventually.holds("the job is done", () -> done.get() >= number);
        }
        Eventually.holds("five seconds have passed", () -> System.nanoTime() - start > 5_000_000_000L);
        long commands = calls(client) - before;
        double seconds = (System.nanoTime() - start) / 1e9;
        close(workers);

        assertThat(done).hasValue(30);
        System.out.println("CommandCostTest: kind=" + queueKind + ", commands=" + commands + ", seconds=" + seconds);
        assertThat(commands).isLessThanOrEqualTo((long) (3 * 30 + 5 * WORKERS * seconds));
    }

    @ParameterizedTest
    @CsvSource({"JOBS, 30", "JOBS, 2000", "STREAM, 30", "STREAM, 2000"})
    void jobsThatAreThereAtOnceNeedAtMostThreeCommandsEach(QueueKind queueKind, int jobs) throws Exception {
        RedisClient client = REDIS.client();
        AtomicInteger done = new AtomicInteger();
        List<Worker> workers = start(queueKind, client, done);
        Eventually.holds("all workers wait", () -> blocked(client) == WORKERS);
        long start = System.nanoTime();
        long before = calls(client);

        List<String> unused = queueKind.push(client, "feeds", TestJobs.payloads(jobs));
        Eventually.holds("the jobs are done", () -> done.get() >= jobs);
        Eventually.holds("three seconds have passed", () -> System.nanoTime() - start > 3_000_000_000L);
        long commands = calls(client) - before;
        double seconds = (System.nanoTime() - start) / 1e9;
        close(workers);

        assertThat(done).hasValue(jobs);
        System.out.println("CommandCostTest: kind=" + queueKind + ", commands=" + commands + ", seconds=" + seconds);
        assertThat(commands).isLessThanOrEqualTo((long) (3 * jobs + 5 * WORKERS * seconds));
    }

    private static List<Worker> start(QueueKind queueKind, RedisClient client, AtomicInteger done) {
        List<Worker> workers = new ArrayList<>();
        IntStream.range(0, WORKERS)
                .forEach(i -> workers.add(queueKind
                        .worker(client, "feeds", 20, job -> done.incrementAndGet())
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
