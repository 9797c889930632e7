// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.ExitCode;
import io.millrace.load.LoadReport;
import io.millrace.load.RowCounts;
import io.millrace.load.source.SourceException;
import io.millrace.spring.LoadEnded;
import io.millrace.spring.LoadRun;
import io.millrace.spring.LoadStarted;
import io.millrace.spring.RunKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@ExtendWith(SharedServer.class)
class LoadTest {

    private final TestServer server;
    private final Call call;

    LoadTest(TestServer server) {
        this.server = server;
        this.call = server.call();
    }

    private String start(String body) {
        RawAnswer answer = call.post("/loads", body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(202);
        return answer.header("location").orElseThrow();
    }

    /**
     * A stop may arrive before the load has opened its source, has reached Redis, or has read a row. The load is longer
     * than the test, so the test finds a lost stop.
     */
    @Test
    void loadThatIsStoppedRightAfterItsStartIsInterrupted() {
        for (int round = 0; round < Integer.getInteger("millrace.stoppedLoads", 40); round++) {
            String path = start("{\"job\":\"endless\"}");
            LockSupport.parkNanos(round % 40 * 100_000L);
            boolean now = round % 2 == 1;

            assertThat(call.delete(path + (now ? "?now" : "")).status()).isEqualTo(202);

            JsonNode load = awaitEnd(path);
            assertThat(load.get("state").asString())
                    .as("round %s: %s", round, load)
                    .isEqualTo("interrupted");
        }
    }

    private JsonNode awaitEnd(String path) {
        Await.until(
                "the load has ended: " + path,
                () -> !call.json(path).get("state").asString().equals("running"));
        return call.json(path);
    }

    @Test
    void loadIsStartedAndReported() {
        String path = start("{\"job\":\"customers\",\"verify\":\"full\"}");

        JsonNode load = awaitEnd(path);

        assertThat(load.get("state").asString()).isEqualTo("ok");
        assertThat(load.get("exit").asInt()).isZero();
        JsonNode report = call.json(path + "/report");
        assertThat(report.at("/rows/written").asLong()).isEqualTo(1_000);
        assertThat(report.at("/verified/checked").asLong()).isEqualTo(1_000);
        assertThat(report.get("source").asString()).isEqualTo("customers");
        assertThat(report.toString()).doesNotContain("127.0.0.1", "redis://");
        assertThat(call.get(path + "/rejects").body()).isEmpty();
        assertThat(call.get(path + "/rejects").contentType()).isEqualTo("application/x-ndjson");
        assertThat(call.delete(path).status()).isEqualTo(409);
        assertThat(call.json("/loads").get("loads").get(0).get("id").asLong())
                .isGreaterThanOrEqualTo(load.get("id").asLong());
    }

    @Test
    void limitAndDryRunChangeOneLoadOnly() {
        JsonNode limited = awaitEnd(start("{\"job\":\"customers\",\"limit\":7}"));
        String dryPath = start("{\"job\":\"customers\",\"dryRun\":true}");
        awaitEnd(dryPath);
        JsonNode whole = awaitEnd(start("{\"job\":\"customers\"}"));

        assertThat(limited.get("limit").asLong()).isEqualTo(7);
        assertThat(report(limited).at("/rows/read").asLong()).isEqualTo(7);
        assertThat(call.json(dryPath + "/report").get("job").asString()).isEqualTo("dry-run");
        assertThat(report(whole).at("/rows/read").asLong()).isEqualTo(1_000);
    }

    private JsonNode report(JsonNode load) {
        return call.json("/loads/" + load.get("id").asLong() + "/report");
    }

    @Test
    void wrongStartsAreRefused() {
        assertThat(call.post("/loads", "{\"job\":\"none\"}").status()).isEqualTo(404);
        for (String body : List.of(
                "{}",
                "{\"job\":\"\"}",
                "{\"job\":\"customers\",\"limit\":0}",
                "{\"job\":\"customers\",\"verify\":\"half\"}",
                "{\"job\":\"customers\",\"verify\":\"101%\"}",
                "{\"job\":\"customers\",\"dryRun\":\"yes\"}",
                "{\"job\":\"customers\",\"url\":\"jdbc:h2:mem:x\"}",
                "{\"job\":\"customers\",\"query\":\"SELECT 1\"}")) {
            assertThat(call.post("/loads", body).status()).as(body).isEqualTo(400);
        }
        assertThat(call.get("/loads/999999").status()).isEqualTo(404);
        assertThat(call.get("/loads/999999/report").status()).isEqualTo(404);
        assertThat(call.get("/loads/999999/events").status()).isEqualTo(404);
        assertThat(call.get("/loads/999999/rejects").status()).isEqualTo(404);
        assertThat(call.delete("/loads/999999").status()).isEqualTo(404);
    }

    @Test
    void runningJobIsAConflictAndAThirdLoadTooMany() {
        String first = start("{\"job\":\"gated\"}");
        String second = start("{\"job\":\"second\"}");

        RawAnswer same = call.post("/loads", "{\"job\":\"gated\"}");
        RawAnswer third = call.post("/loads", "{\"job\":\"third\"}");

        assertThat(same.status()).isEqualTo(409);
        assertThat(third.status()).isEqualTo(429);
        assertThat(third.header("retry-after")).contains("1");
        assertThat(call.get(first + "/report").status()).isEqualTo(409);
        assertThat(call.json(first).get("state").asString()).isEqualTo("running");
        assertThat(call.json("/jobs").toString())
                .contains("{\"name\":\"gated\",\"when\":\"manual\",", "\"running\":true");
        assertThat(call.get("/jobs").body()).doesNotContain("jdbc", "secret", "127.0.0.1");
        TestBeans.GATED.letPass();
        TestBeans.SECOND.letPass();
        awaitEnd(first);
        awaitEnd(second);
    }

    @Test
    void rejectedRowsAndReasonsAreMasked() {
        String path = start("{\"job\":\"gated\"}");
        TestBeans.GATED.letPass();

        JsonNode load = awaitEnd(path);

        String rejects = call.get(path + "/rejects").body();
        JsonNode line = JsonMapper.shared().readTree(rejects);
        assertThat(line.get("row").asLong()).isEqualTo(3);
        assertThat(line.get("reason").asString()).isEqualTo("number-invalid");
        assertThat(line.get("message").isNull()).isTrue();
        assertThat(call.get(path + "/report").body() + load + rejects).doesNotContain("jdbc", "secret", "/var/lib");
    }

    /** Starts the endless load, pauses Redis while rows are in flight, and stops the load. Redis stays paused. */
    private String stopWithRowsInFlight(String now) {
        String path = start("{\"job\":\"endless\"}");
        Await.until(
                "rows are written",
                () -> call.json(path).at("/progress/rows/written").asLong() > 0);
        server.redis().pause();
        long version = call.json(path).at("/progress/version").asLong();
        Await.until("rows without a reply are in flight", () -> {
            JsonNode progress = call.json(path).get("progress");
            // The next version may be older than the pause.
            return progress.get("version").asLong() > version + 1
                    && progress.get("inFlight").asLong() > 0;
        });
        assertThat(call.delete(path + now).status()).isEqualTo(202);
        return path;
    }

    @Test
    void stopWaitsForTheRepliesOfTheRowsInFlight() {
        String path;
        try {
            path = stopWithRowsInFlight("");
            assertThat(call.json(path).get("state").asString()).isEqualTo("running");
        } finally {
            server.redis().resume();
        }

        JsonNode load = awaitEnd(path);

        assertThat(load.get("state").asString()).isEqualTo("interrupted");
        assertThat(report(load).at("/rows/unconfirmed").asLong()).isZero();
    }

    /** Without {@code now}, a stop waits 20 s for the replies. */
    @Test
    void stopNowDoesNotWaitForReplies() {
        JsonNode load;
        long nanos;
        try {
            String path = stopWithRowsInFlight("?now");
            long begin = System.nanoTime();
            load = awaitEnd(path);
            nanos = System.nanoTime() - begin;
        } finally {
            server.redis().resume();
        }

        assertThat(load.get("state").asString()).isNotEqualTo("ok");
        assertThat(report(load).at("/rows/unconfirmed").asLong()).isPositive();
        assertThat(nanos).isLessThan(Duration.ofSeconds(18).toNanos());
        assertThat(call.delete("/loads/" + load.get("id").asLong() + "?now=maybe")
                        .status())
                .isEqualTo(400);
    }

    /** The files of a source may be on another machine that hangs. */
    @Test
    void otherRequestsDoNotWaitForTheFilesOfASource() throws Exception {
        String other = start("{\"job\":\"customers\",\"dryRun\":true}");
        awaitEnd(other);
        Semaphore files = new Semaphore(0);
        TestBeans.THIRD.whenIdentified(files::acquireUninterruptibly);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> starting = threads.submit(() -> start("{\"job\":\"third\"}"));
            try {
                Await.until("the source is asked for its files", files::hasQueuedThreads);

                assertThat(call.json(other).get("state").asString()).isEqualTo("ok");
                assertThat(call.post("/loads", "{\"job\":\"third\"}").status()).isEqualTo(409);
            } finally {
                TestBeans.THIRD.whenIdentified(() -> {});
                files.release(1_000);
            }
            TestBeans.THIRD.letPass();
            awaitEnd(starting.get());
        }
    }

    private long newestId() {
        return call.json("/loads").get("loads").get(0).get("id").asLong();
    }

    private static LoadEnded ended(long number, long rows) {
        LoadReport.Job job = new LoadReport.Job(LoadReport.Job.Kind.LOAD, "source", "target", Instant.EPOCH);
        LoadReport report =
                LoadReport.withoutResult(new LoadReport.Ending.Completed(), job, new RowCounts(rows, rows, 0, 0, 0), 1);
        return new LoadEnded(
                new LoadRun("third", RunKind.CONFIGURED, report, ExitCode.OK, false, Optional.empty()), number);
    }

    private static List<Long> ids(JsonNode page) {
        return page.get("loads")
                .valueStream()
                .map(load -> load.get("id").asLong())
                .toList();
    }

    @Test
    void loadsAreListedInPages() {
        long newest = 0;
        for (int i = 0; i <= 100; i++) {
            long number = 4_000_000L + i;
            server.publish(new LoadStarted("third", RunKind.CONFIGURED, number));
            newest = newestId();
            server.publish(ended(number, 1));
        }
        List<Long> all = ids(call.json("/loads?limit=1000"));

        JsonNode usual = call.json("/loads");
        List<Long> pages = new ArrayList<>();
        String next = "/loads?limit=40";
        while (!next.isEmpty()) {
            JsonNode page = call.json(next);
            assertThat(ids(page)).hasSizeBetween(1, 40);
            pages.addAll(ids(page));
            next = page.get("next").isNull() ? "" : page.get("next").asString();
        }

        assertThat(all)
                .hasSizeGreaterThan(100)
                .isSortedAccordingTo(Comparator.reverseOrder())
                .first()
                .isEqualTo(newest);
        assertThat(pages).isEqualTo(all);
        assertThat(ids(usual)).isEqualTo(all.subList(0, 100));
        assertThat(usual.get("next").asString()).isEqualTo("/loads?limit=100&before=" + all.get(99));
        assertThat(call.json("/loads?before=" + newest + "&limit=1")
                        .get("loads")
                        .get(0)
                        .get("id")
                        .asLong())
                .isEqualTo(newest - 1);
        assertThat(call.json("/loads?limit=1000").get("next").isNull()).isTrue();
        assertThat(ids(call.json("/loads?before=1"))).isEmpty();
    }

    /** A load that begins between two requests does not shift the pages. */
    @Test
    void pageAfterTheFirstBeginsWhereTheFirstEnds() {
        awaitEnd(start("{\"job\":\"customers\",\"dryRun\":true}"));
        awaitEnd(start("{\"job\":\"customers\",\"dryRun\":true}"));
        JsonNode first = call.json("/loads?limit=1");
        awaitEnd(start("{\"job\":\"customers\",\"dryRun\":true}"));

        JsonNode second = call.json(first.get("next").asString());

        assertThat(ids(second)).containsExactly(ids(first).getFirst() - 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"limit=0", "limit=1001", "limit=", "limit=all", "before=0", "before=-1", "before=x", "page=2"})
    void wrongPageIsRefused(String parameter) {
        assertThat(call.get("/loads?" + parameter).status()).isEqualTo(400);
    }

    /** A timer may start a job while the listeners of its former run still write the end. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void runThatBeginsBeforeTheEndOfTheFormerRunHasALoadOfItsOwn(boolean inOrder) {
        long number = 1_000_000L * (inOrder ? 1 : 2); // no run of this server has such a number
        server.publish(new LoadStarted("third", RunKind.CONFIGURED, number));
        long former = newestId();
        server.publish(new LoadStarted("third", RunKind.CONFIGURED, number + 1));
        long later = newestId();

        assertThat(later).isEqualTo(former + 1);
        assertThat(call.json("/loads/" + former).get("state").asString()).isEqualTo("running");
        server.publish(inOrder ? ended(number, 1) : ended(number + 1, 2));
        server.publish(inOrder ? ended(number + 1, 2) : ended(number, 1));

        assertThat(call.json("/loads/" + former + "/report").at("/rows/read").asLong())
                .isEqualTo(1);
        assertThat(call.json("/loads/" + later + "/report").at("/rows/read").asLong())
                .isEqualTo(2);
        assertThat(call.json("/loads/" + later).get("state").asString()).isEqualTo("ok");
        String next = start("{\"job\":\"third\"}");
        TestBeans.THIRD.letPass();
        awaitEnd(next);
    }

    /** The texts of a driver, of Redis and of the configuration do not leave the server. */
    @Test
    void failedSourceShowsOnlyTheKindOfItsFailure() {
        LoadReport.Job job = new LoadReport.Job(LoadReport.Job.Kind.LOAD, "source", "target", Instant.EPOCH);
        String text =
                "cannot read the query: Column \"X\" not found; SQL statement: SELECT X FROM shop.customer [42122]";
        LoadReport report =
                LoadReport.withoutResult(new LoadReport.Ending.Failed(text), job, new RowCounts(0, 0, 0, 0, 0), 1);
        SourceException failure = new SourceException(SourceException.Kind.UNUSABLE, text);
        server.publish(new LoadStarted("third", RunKind.CONFIGURED, 3_000_000));
        long id = newestId();
        server.publish(new LoadEnded(
                new LoadRun("third", RunKind.CONFIGURED, report, ExitCode.USAGE, false, Optional.of(failure)),
                3_000_000));

        String shown = call.get("/loads/" + id).body()
                + call.get("/loads/" + id + "/report").body();

        assertThat(shown)
                .contains("The source of the job does not exist", "The log of the server has the reason")
                .doesNotContain("customer", "SELECT", "42122");
    }
}
