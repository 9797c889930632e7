// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.command.TimeToLive;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.RunningTaskFlow;
import io.millrace.tasks.TaskCounts;
import io.millrace.tasks.TaskFlowReport;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of the examples for services: tasks with a rate, a queue into pipelines, and the data types. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ServiceExamplesTest {

    private static EmbeddedRedis server;

    private RedisClient client;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        client = RedisClient.connect(RedisUri.parse(server.uri()));
        client.call(Server.flush());
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    @Test
    void flowMakesNoMoreCallsPerSecondThanItsRate() throws Exception {
        List<String> products =
                IntStream.range(0, 300).mapToObj(Integer::toString).toList();

        TaskFlowReport<String> report = fetchQuietly(products, new AtomicInteger());

        assertThat(report.counts()).isEqualTo(new TaskCounts(300, 300, 0, 0, 0, 0, 0));
        // The last of 300 calls starts 299 ms after the first. The limiter allows 10 ms less.
        assertThat(report.elapsed()).isGreaterThanOrEqualTo(Duration.ofMillis(289));
    }

    @Test
    void productWhoseCallsFailThreeTimesIsReportedAndOthersAreStored() throws Exception {
        AtomicInteger failures = new AtomicInteger(4);

        TaskFlowReport<String> report = fetchQuietly(List.of("fails"), failures);
        TaskFlowReport<String> second = fetchQuietly(List.of("recovers", "works"), failures);

        assertThat(report.counts()).isEqualTo(new TaskCounts(1, 0, 1, 0, 0, 0, 2));
        assertThat(report.failures()).singleElement().asString().contains("task=fails, attempts=3", "no answer");
        assertThat(second.counts()).isEqualTo(new TaskCounts(2, 2, 0, 0, 0, 0, 1));
        assertThat(client.call(Hashes.fields(RateLimitedTasks.PRICES))).containsExactlyInAnyOrder("recovers", "works");
    }

    @Test
    void eachQueuedVisitIsCountedInRedis() throws Exception {
        Map<String, Integer> outcomes =
                new QueueIntoPipelines().count(client, Collections.nCopies(1_000, List.of("a", "b", "a")));

        assertThat(outcomes).isEqualTo(Map.of("counted", 3_000, "dropped", 0));
        assertThat(client.call(Strings.get(QueueIntoPipelines.VISITS + "a"))).hasValue("2000");
        assertThat(client.call(Strings.get(QueueIntoPipelines.VISITS + "b"))).hasValue("1000");
    }

    @Test
    void eachQueuedVisitHasAnOutcomeWhenTheConnectionIsLost() throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient cutOff = RedisClient.connect(RedisUri.of(proxy.host(), proxy.port()))) {
            proxy.cut(Direction.TO_SERVER, 2_000, ConnectionEnd.RESET);

            Map<String, Integer> outcomes =
                    new QueueIntoPipelines().count(cutOff, Collections.nCopies(1_000, List.of("a")));

            assertThat(outcomes.values().stream().mapToInt(Integer::intValue).sum())
                    .isEqualTo(1_000);
            int certain = outcomes.getOrDefault("counted", 0);
            int possible = outcomes.getOrDefault("possibly counted", 0);
            int inRedis = Integer.parseInt(
                    client.call(Strings.get(QueueIntoPipelines.VISITS + "a")).orElse("0"));
            assertThat(inRedis).isBetween(certain, certain + possible);
        }
    }

    @Test
    void cartExpiresAndTheListOfUpdatesKeepsThreeElements() {
        String cart = DataTypesTour.cart(client);
        String updates = DataTypesTour.updates(client);

        assertThat(cart).isEqualTo("cart: {pen=5}, pens: 5");
        assertThat(client.call(Keys.timeToLive(DataTypesTour.CART))).isInstanceOf(TimeToLive.Expires.class);
        assertThat(updates).isEqualTo("latest: [four, three, two]");
        assertThat(client.call(Lists.size(DataTypesTour.UPDATES))).isEqualTo(3);
    }

    @Test
    void staleRowsAreRefreshedAlthoughTheDatabaseFailsAgainAndAgain() throws Exception {
        String url = "jdbc:h2:mem:failing-rows";
        AtomicInteger connections = new AtomicInteger();
        StaleRows.Database failing = () -> {
            if (connections.incrementAndGet() % 3 == 0) {
                throw new SQLException("no connection");
            }
            return DriverManager.getConnection(url);
        };
        try (Connection database = DriverManager.getConnection(url)) {
            StaleRows.createRows(database, 30);

            try (RunningTaskFlow<String> flow = StaleRows.start(client, failing)) {
                long deadline = System.nanoTime() + Duration.ofSeconds(90).toNanos();
                boolean ended = false;
                while (!ended && StaleRows.countDue(database) > 0) {
                    assertThat(System.nanoTime())
                            .as("the rows are refreshed in time")
                            .isLessThan(deadline);
                    ended = flow.await(Duration.ofMillis(5));
                }
                assertThat(ended).isFalse();
            }

            assertThat(client.call(Hashes.size(StaleRows.TITLES))).isEqualTo(30);
        }
    }

    @Test
    void taskThatEndsBetweenTheQueryAndTheReadOfItsRowsIsNotRunTwice() throws Exception {
        String url = "jdbc:h2:mem:rows-read-late";
        AtomicReference<Runnable> afterQuery = new AtomicReference<>(() -> {});
        StaleRows.DueFeeds source = new StaleRows.DueFeeds(() -> hooked(
                DriverManager.getConnection(url),
                () -> afterQuery.getAndSet(() -> {}).run()));
        try (Connection database = DriverManager.getConnection(url)) {
            StaleRows.createRows(database, 1);
            assertThat(source.next()).containsExactly("feed 0");

            afterQuery.set(() -> settle(source, "feed 0"));

            assertThat(source.next()).isEmpty();
            assertThat(StaleRows.countDue(database)).isZero();
            assertThat(source.next()).isEmpty();
        }
    }

    private static void settle(StaleRows.DueFeeds source, String feed) {
        try {
            source.settled(new Outcome.Succeeded<>(feed, 1, "title"));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns {@code connection}, whose statements run {@code afterQuery} when a query was executed. */
    private static Connection hooked(Connection connection, Runnable afterQuery) {
        ClassLoader loader = ServiceExamplesTest.class.getClassLoader();
        return (Connection) Proxy.newProxyInstance(loader, new Class<?>[] {Connection.class}, (proxy, method, args) -> {
            Object result = method.invoke(connection, args);
            return result instanceof PreparedStatement statement
                    ? Proxy.newProxyInstance(
                            loader, new Class<?>[] {PreparedStatement.class}, (own, called, values) -> {
                                Object value = called.invoke(statement, values);
                                if (called.getName().equals("executeQuery")) {
                                    afterQuery.run();
                                }
                                return value;
                            })
                    : result;
        });
    }

    @Test
    void outputsOfTheExamplesAreQuotedInTheDocuments() throws Exception {
        String[] arguments = {server.uri()};

        String tour = CapturedOutput.of(() -> DataTypesTour.main(arguments));
        String visits = CapturedOutput.of(() -> QueueIntoPipelines.main(arguments));
        String prices = CapturedOutput.of(() -> RateLimitedTasks.main(arguments));

        assertThat(Snippets.read(Path.of("../docs/data-types.md"))).contains("```text\n" + tour + "```");
        assertThat(Snippets.read(Path.of("../docs/client.md"))).contains("```text\n" + visits + "```");
        assertThat(Snippets.read(Path.of("../docs/tasks.md"))).contains("```text\n" + prices + "```");
    }

    /** Runs the example without its output. Each call lowers {@code failures} by one, and fails if it was positive. */
    private TaskFlowReport<String> fetchQuietly(List<String> products, AtomicInteger failures) throws Exception {
        List<TaskFlowReport<String>> reports = new ArrayList<>();
        CapturedOutput.of(() -> reports.add(RateLimitedTasks.fetch(client, products, product -> {
            if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IOException("no answer");
            }
            return "1.99";
        })));
        return reports.getFirst();
    }
}
