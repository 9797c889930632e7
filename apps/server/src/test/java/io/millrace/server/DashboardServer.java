// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.server.loads.EventStreams;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A server with something to see on each page of the dashboard, and the job {@code slow}, which takes minutes. */
final class DashboardServer implements AutoCloseable {

    private static final String SLOW = "--millrace.load.jobs.slow.";

    private final Path file;
    private final TestServer server;

    private DashboardServer(Path file, TestServer server) {
        this.file = file;
        this.server = server;
    }

    /** One server for all test classes with this extension. Not the other shared server: an open page has a stream. */
    static final class Shared implements ParameterResolver {

        private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(Shared.class);

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == DashboardServer.class;
        }

        @Override
        public DashboardServer resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(SPACE)
                    .computeIfAbsent(DashboardServer.class, type -> start(), DashboardServer.class);
        }
    }

    private static DashboardServer start() {
        String rows = IntStream.range(0, 100_000).mapToObj(id -> id + ",x\n").collect(Collectors.joining());
        try {
            Path file = Files.writeString(Files.createTempFile("millrace-slow", ".csv"), "id,name\n" + rows);
            TestServer server = TestServer.start(
                    SLOW + "csv=" + file,
                    SLOW + "key=slow:{id}",
                    SLOW + "as=hash",
                    SLOW + "when=manual",
                    SLOW + "rate=500");
            seed(server.call());
            return new DashboardServer(file, server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An activity, a cache that was used, and the load 1 with a rejected row. */
    private static void seed(Call call) {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        String marks = IntStream.range(0, 2_000)
                .mapToObj(i -> "{\"id\":" + (i * i % 397) + ",\"time\":\"" + today.minusDays(i * 31L % 97 % 14) + "\"}")
                .collect(Collectors.joining(",", "[", "]"));
        assertThat(call.post("/activities/demo/visit/marks", marks).status()).isEqualTo(200);
        call.get("/value/tea");
        call.get("/value/tea");
        TestBeans.GATED.reset();
        TestBeans.GATED.letPass();
        String load =
                call.post("/loads", "{\"job\":\"gated\"}").header("location").orElseThrow();
        awaitEnd(call, load);
    }

    private static void awaitEnd(Call call, String load) {
        Await.until(load + " has ended", () -> !call.get(load).body().contains("running"));
    }

    Call call() {
        return server.call();
    }

    /** Starts a job. Returns the path of the load. */
    String startLoad(String job) {
        return call().post("/loads", "{\"job\":\"" + job + "\"}")
                .header("location")
                .orElseThrow();
    }

    void awaitEnd(String load) {
        awaitEnd(call(), load);
    }

    /** Number of open event streams. */
    int streams() {
        return server.bean(EventStreams.class).count();
    }

    /** Opens a page of the dashboard. */
    void open(Browser browser, String page) {
        browser.open("http://127.0.0.1:" + server.port() + "/#" + page);
        browser.await("h1", "");
    }

    /** Leaves the dashboard, so that no stream and no connection disturbs later tests. */
    void leave(Browser browser) {
        browser.open("about:blank");
        Await.until("the page has no stream", () -> streams() == 0);
    }

    /** Waits for the options of the list of jobs. A closed list of options is not visible. */
    static void awaitJobs(Browser browser) {
        Await.until(
                "there are jobs",
                () -> (long) browser.ask("return document.getElementById('job')?.options.length ?? 0") > 0);
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.delete(file);
    }
}
