// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.browsertestkit.SharedBrowser;
import io.millrace.server.loads.EventStreams;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A server with something to see on each page of the dashboard, and the job {@code slow}, which takes minutes. */
final class DashboardServer implements AutoCloseable {

    /** The folder of the pictures, for a person to look at. */
    private static final Path PICTURES = Path.of("target/dashboard");

    private static final String SLOW = "--millrace.load.jobs.slow.";

    private final Path file;
    private final TestServer server;

    private DashboardServer(Path file, TestServer server) {
        this.file = file;
        this.server = server;
    }

    /**
     * One server for all test classes with this extension. Not the other shared server: an open page has a stream.
     *
     * <p>Each test begins with a wide window and the light theme. After each test, the console of the browser must have no message.
     * After the last test of a class, the browser leaves the dashboard.
     */
    static final class Shared implements ParameterResolver, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

        private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(Shared.class);

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == DashboardServer.class;
        }

        @Override
        public DashboardServer resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return of(context);
        }

        @Override
        public void beforeEach(ExtensionContext context) {
            SharedBrowser.of(context).appearance(1280, "light");
        }

        @Override
        public void afterEach(ExtensionContext context) {
            assertThat(SharedBrowser.of(context).console()).isEmpty();
        }

        @Override
        public void afterAll(ExtensionContext context) {
            of(context).leave(SharedBrowser.of(context));
        }

        private static DashboardServer of(ExtensionContext context) {
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
                    "--millrace.server.show-values=true",
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

    /**
     * Opens a page of the dashboard. The server notices the end of the streams of earlier pages after some time, and refuses the
     * ninth stream of an address. So this method waits until there is room.
     */
    void open(Browser browser, String page) {
        Await.until("the server has room for another stream", () -> streams() < EventStreams.PER_ADDRESS - 2);
        browser.open(address(page));
        browser.await("h1", "");
    }

    /** The address of a page of the dashboard. */
    String address(String page) {
        return "http://127.0.0.1:" + server.port() + "/#" + page;
    }

    /** Writes the page as a picture, for a person to look at. */
    static void takePicture(Browser browser, String name) throws IOException {
        browser.screenshot(Files.createDirectories(PICTURES).resolve(name + ".png"));
    }

    /** Leaves the dashboard, so that no stream and no connection disturbs later tests. */
    private void leave(Browser browser) {
        browser.open("about:blank");
        Await.until("the page has no stream", () -> streams() == 0);
    }

    /** Waits for the options of the list of jobs. A closed list of options is not visible. */
    static void awaitJobs(Browser browser) {
        browser.until(
                "there are jobs",
                () -> (long) browser.ask("return document.getElementById('job')?.options.length ?? 0") > 0);
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.delete(file);
    }
}
