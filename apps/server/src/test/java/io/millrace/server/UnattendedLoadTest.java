// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.loads.LoadLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.Lifecycle;
import tools.jackson.databind.JsonNode;

/** A server with a folder, from its start to its end: jobs of the start and of a timer, the load log, and the shutdown. */
class UnattendedLoadTest {

    @Test
    void loadsOfTheStartAndOfATimerAreInTheLog(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("data/loads.jsonl");
        TestBeans.GATED.reset();
        TestBeans.THIRD.reset();

        try (TestServer server = startWithAWaitingJob(folder)) {
            Await.until("the timer has started a load", () -> loads(server, "timed") > 0);

            assertThat(loads(server, "customers")).isEqualTo(1);
            JsonNode first = server.call().json("/loads/1");
            assertThat(first.get("job").asString()).isEqualTo("customers");
            assertThat(first.get("state").asString()).isEqualTo("ok");
            assertThat(server.call().json("/loads/1/report").at("/rows/written").asLong())
                    .isEqualTo(1_000);
            checkOrderOfTheLog(server, log);
            checkShutdown(server);
        }

        assertThat(Files.readString(log)).contains("\"job\":\"customers\"", "\"job\":\"timed\"");
    }

    /** Starts a server with a required job that must end before the server is ready. */
    private static TestServer startWithAWaitingJob(Path folder) throws Exception {
        Path rows = Files.writeString(folder.resolve("rows.csv"), "id\n1\n2\n");
        String timed = "--millrace.load.jobs.timed.";
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<TestServer> starting = threads.submit(() -> TestServer.start(
                    "--millrace.server.data=" + folder.resolve("data"),
                    "--millrace.load.jobs.customers.when=before-port",
                    "--millrace.load.jobs.third.when=before-ready",
                    "--millrace.load.jobs.third.required=true",
                    timed + "csv=" + rows,
                    timed + "key=timed:{id}",
                    timed + "as=hash",
                    timed + "when=manual",
                    timed + "cron=* * * * * *"));
            TestBeans.THIRD.awaitReader();
            Call call = new Call(TestBeans.NEWEST_PORT.get());
            try {
                assertThat(call.get("/actuator/health/readiness").status()).isEqualTo(503);
                assertThat(call.get("/actuator/health/liveness").status()).isEqualTo(200);
            } finally {
                TestBeans.THIRD.letPass();
            }
            TestServer server = starting.get();
            assertThat(call.get("/actuator/health/readiness").status()).isEqualTo(200);
            return server;
        }
    }

    /** A kill after the first row must find the start in the log. */
    private static void checkOrderOfTheLog(TestServer server, Path log) {
        AtomicReference<String> lines = new AtomicReference<>("");
        TestBeans.GATED.whenOpened(() -> lines.set(text(log)));
        String path = server.call()
                .post("/loads", "{\"job\":\"gated\",\"limit\":3}")
                .header("location")
                .orElseThrow();
        TestBeans.GATED.awaitReader();
        TestBeans.GATED.whenOpened(() -> {});

        assertThat(lines.get()).contains("{\"id\":" + path.substring("/loads/".length()) + ",\"job\":\"gated\"");
        TestBeans.GATED.letPass();
        Await.until(
                "the load has ended",
                () -> !server.call().json(path).get("state").asString().equals("running"));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Jobs that have stopped are not started again. The streams end when the context closes, and do not delay the end. */
    private static void checkShutdown(TestServer server) throws IOException {
        try (EventReader stream = EventReader.open(server.port(), "/events")) {
            assertThat(stream.next()).isNotNull();
            server.bean("millraceLoadLifecycle", Lifecycle.class).stop();

            RawAnswer late = server.call().post("/loads", "{\"job\":\"customers\"}");

            assertThat(late.status()).isEqualTo(503);
            assertThat(late.body()).contains("/problems/stopping");
            assertThat(late.header("retry-after")).contains("5");
            checkReportsWithoutTheLog(server);
            server.close();
            EventReader.Event last = stream.next();
            while (last != null) {
                last = stream.next();
            }
        }
    }

    /** A log that is closed has no reports, like a log that has forgotten them. */
    private static void checkReportsWithoutTheLog(TestServer server) {
        server.bean(LoadLog.class).close();

        assertThat(server.call().get("/loads/1").status()).isEqualTo(200);
        for (String part : List.of("report", "rejects")) {
            RawAnswer answer = server.call().get("/loads/1/" + part);

            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.body()).contains("not kept");
        }
    }

    private static long loads(TestServer server, String job) {
        return Stream.of(server.call().json("/loads").get("loads"))
                .flatMap(loads -> loads.valueStream())
                .filter(load -> load.get("job").asString().equals(job)
                        && !load.get("state").asString().equals("running"))
                .count();
    }
}
