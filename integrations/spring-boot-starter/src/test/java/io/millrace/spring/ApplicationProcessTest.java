// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.io.Writer;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests applications as processes. Their rows come from a named pipe, so the test decides when a load continues. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the tests look for open files in /proc")
class ApplicationProcessTest {

    private static EmbeddedRedis server;

    @TempDir
    private Path folder;

    private RowPipe rows;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void prepare() throws Exception {
        try (RedisClient client = RedisClient.connect(RedisUri.parse(server.uri()))) {
            client.call(Server.flush());
        }
        rows = RowPipe.in(folder);
    }

    private AppProcess application(EmbeddedRedis redis, String... properties) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "millrace.redis.url=" + redis.uri(),
                "millrace.load.jobs.shop.csv=" + rows.path(),
                "millrace.load.jobs.shop.key=shop:{id}",
                "millrace.load.jobs.shop.as=hash"));
        all.addAll(List.of(properties));
        return AppProcess.start(folder, all.toArray(String[]::new));
    }

    @Test
    void applicationIsLiveWhileItLoadsAndReadyAfterTheLastRow() throws Exception {
        int port = freePort();
        try (AppProcess app = application(
                        server,
                        "spring.main.web-application-type=servlet",
                        "server.port=" + port,
                        "management.endpoint.health.probes.enabled=true",
                        "management.endpoints.web.exposure.include=health,millraceloads");
                Writer out = rows.open(List.of(app))) {
            out.write("id,name\n1,pen\n");
            out.flush();
            app.await(() -> status(port, "health/liveness") == 200, "liveness");

            assertThat(status(port, "health/readiness")).isEqualTo(503);
            out.write("2,ink\n");
            out.close();

            app.awaitOutput("READY");
            app.await(() -> status(port, "health/readiness") == 200, "readiness");
            assertThat(app.output()).contains("LOADED job=shop, shared=false, written=2, code=OK");
            assertThat(body(port, "millraceloads/shop")).contains("\"outcome\":\"ok\"", "\"written\":2");
            assertThat(status(port, "millraceloads/unknown")).isEqualTo(404);

            app.terminate();
            assertThat(app.awaitExit()).isEqualTo(143);
        }
    }

    @Test
    void oneInstanceOfAFleetLoadsAndAnotherTakesOverWhenItIsKilled() throws Exception {
        fleet(3);
    }

    @Tag("soak")
    @Test
    void tenInstancesOfAFleetLoadOnce() throws Exception {
        fleet(10);
    }

    private void fleet(int size) throws Exception {
        List<AppProcess> apps = new ArrayList<>();
        try {
            for (int i = 0; i < size; i++) {
                apps.add(application(
                        server,
                        "millrace.load.jobs.shop.once-per=1h",
                        "millrace.load.lease=1s",
                        "millrace.redis.patience=60s"));
            }
            AppProcess first;
            try (Writer out = rows.open(apps)) {
                first = awaitLoader(apps);
                out.write("id,name\n1,pen\n");
                out.flush();
                first.kill();
                first.awaitExit();
                apps.remove(first);
            } catch (IOException pipeWithoutReader) {
                // The reader was killed before the end was written.
            }
            try (Writer out = rows.open(apps)) {
                AppProcess second = awaitLoader(apps);
                out.write("id,name\n1,pen\n2,ink\n");
                out.close();
                second.awaitOutput("LOADED job=shop, shared=false, written=2, code=OK");
                for (AppProcess app : apps) {
                    app.awaitOutput("READY");
                    assertThat(app.output())
                            .contains("LOADED job=shop, shared=" + !app.equals(second) + ", written=2, code=OK");
                }
            }
        } finally {
            apps.forEach(AppProcess::close);
        }
    }

    private AppProcess awaitLoader(List<AppProcess> apps) {
        apps.getFirst().await(() -> apps.stream().anyMatch(app -> app.hasOpen(rows.path())), "a loader");
        return apps.stream().filter(app -> app.hasOpen(rows.path())).findFirst().orElseThrow();
    }

    @Test
    void signalBeforeThePortStopsTheLoadAndEndsTheProcess() throws Exception {
        try (AppProcess app = application(server, "millrace.load.jobs.shop.when=before-port");
                Writer out = rows.open(List.of(app))) {
            out.write("id,name\n1,pen\n");
            out.flush();
            app.await(() -> app.hasOpen(rows.path()), "the load");

            app.terminate();

            assertThat(app.awaitExit()).isEqualTo(143);
            assertThat(app.output()).contains("code=INTERRUPTED").doesNotContain("READY");
        }
    }

    @Test
    void signalBeforeThePortStartsNoFurtherJob() throws Exception {
        Path trade = Files.writeString(folder.resolve("trade.csv"), "id\n1\n");
        try (AppProcess app = application(
                        server,
                        "millrace.load.jobs.shop.when=before-port",
                        "millrace.load.jobs.shop.required=false",
                        "millrace.load.jobs.trade.csv=" + trade,
                        "millrace.load.jobs.trade.key=trade:{id}",
                        "millrace.load.jobs.trade.as=hash",
                        "millrace.load.jobs.trade.when=before-port");
                Writer out = rows.open(List.of(app))) {
            out.write("id,name\n1,pen\n");
            out.flush();
            app.await(() -> app.hasOpen(rows.path()), "the load");

            app.terminate();

            assertThat(app.awaitExit()).isEqualTo(143);
            assertThat(app.output()).contains("code=INTERRUPTED").doesNotContain("job=trade", "Application run failed");
        }
    }

    @Test
    void lossOfRedisDuringTheLoadEndsTheStartWithAnExitCode() throws Exception {
        try (EmbeddedRedis lost = EmbeddedRedis.start();
                AppProcess app = application(lost, "millrace.load.jobs.shop.patience=0s");
                Writer out = rows.open(List.of(app))) {
            out.write("id,name\n1,pen\n");
            out.flush();
            app.await(() -> hasKey(lost, "shop:1"), "the first row");

            lost.kill();
            try {
                out.write("2,ink\n");
                out.close();
            } catch (IOException ended) {
                // The load has ended before the test closed the pipe.
            }

            assertThat(app.awaitExit()).isIn(4, 6);
            assertThat(app.output())
                    .contains("The load job shop (millrace.load.jobs.shop.*) did not complete")
                    .doesNotContain("READY");
        }
    }

    @Test
    void missingColumnEndsTheStartInOneSentenceWithTheKey() throws Exception {
        try (AppProcess app = application(server, "millrace.load.jobs.shop.key=shop:{idd}");
                Writer out = rows.open(List.of(app))) {
            out.write("id,name\n");
            out.flush();

            assertThat(app.awaitExit()).isEqualTo(2);
            assertThat(app.output())
                    .containsPattern(
                            "Description:\\R\\R.*\\(millrace.load.jobs.shop.key\\) did not complete.*column=idd.*\\R")
                    .contains("Did you mean 'id'?", "millrace.load.jobs.shop.required=false");
        }
    }

    private static boolean hasKey(EmbeddedRedis redis, String key) {
        try (RedisClient client = RedisClient.connect(RedisUri.parse(redis.uri()))) {
            return client.call(Keys.exist(key)) == 1;
        }
    }

    private static int status(int port, String path) {
        try {
            return get(port, path).statusCode();
        } catch (ConnectException closed) {
            return 0;
        } catch (IOException failed) {
            return -1;
        }
    }

    private static String body(int port, String path) throws IOException {
        return get(port, path).body();
    }

    private static HttpResponse<String> get(int port, String path) throws IOException {
        URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/" + path);
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(interrupted);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
