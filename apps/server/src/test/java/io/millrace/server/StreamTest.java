// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import io.millrace.server.loads.EventStreams;
import io.millrace.testkit.NoConnectionLeft;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Event streams over real sockets. */
@ExtendWith(SharedServer.class)
class StreamTest {

    private static final int PER_ADDRESS = 8;
    private static final int IN_ALL = 200;

    private final TestServer server;
    private final Call call;

    StreamTest(TestServer server) {
        this.server = server;
        this.call = server.call();
    }

    private String start(String job) {
        return call.post("/loads", "{\"job\":\"" + job + "\"}")
                .header("location")
                .orElseThrow();
    }

    private void awaitNoStream() {
        EventStreams streams = server.bean(EventStreams.class);
        Await.until("no event stream is open", () -> streams.count() == 0);
    }

    @Test
    void streamTellsProgressAndTheEndAndThenCloses() throws IOException {
        String path = start("gated");
        List<EventReader.Event> events = new ArrayList<>();
        try (EventReader reader = EventReader.open(server.port(), path + "/events")) {
            assertThat(reader.contentType()).isEqualTo("text/event-stream;charset=UTF-8");
            for (EventReader.Event event = reader.next(); event != null; event = reader.next()) {
                if (events.isEmpty()) {
                    TestBeans.GATED.letPass();
                }
                events.add(event);
            }
        }

        assertThat(events.getFirst().name()).isEqualTo("progress");
        assertThat(events.getLast().name()).isEqualTo("end");
        assertThat(events.getLast().data().get("state").asString()).isEqualTo("rejected");
        assertThat(events).extracting(EventReader.Event::id).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void streamOfTheServerBeginsWithItsHistory() throws IOException {
        try (EventReader reader = EventReader.open(server.port(), "/events")) {
            EventReader.Event first = Objects.requireNonNull(reader.next());
            EventReader.Event second = Objects.requireNonNull(reader.next());

            JsonNode newest =
                    Objects.requireNonNull(first.data().get(first.data().size() - 1));
            assertThat(first.name()).isEqualTo("history");
            assertThat(second.name()).isEqualTo("sample");
            assertThat(second.id()).isGreaterThan(first.id());
            assertThat(newest.get("caches").has("value")).isTrue();
            assertThat(newest.get("commands").get("submitted").asLong()).isNotNegative();
            assertThat(newest.get("heapMax").asLong()).isPositive();
        }
        awaitNoStream();
    }

    /** An answer to HEAD has no body, so the server could not detect the end of the connection. */
    @Test
    void headGetsTheHeadersOfAStreamAndTakesNoPlace() {
        String path = start("gated");

        for (int i = 0; i < PER_ADDRESS + 1; i++) {
            for (String stream : List.of("/events", path + "/events")) {
                RawAnswer head = call.head(stream);
                assertThat(head.status()).isEqualTo(200);
                assertThat(head.contentType()).isEqualTo("text/event-stream;charset=UTF-8");
            }
        }

        assertThat(server.bean(EventStreams.class).count()).isZero();
        TestBeans.GATED.letPass();
        awaitEnd(path);
    }

    private void awaitEnd(String path) {
        Await.until(
                "the load has ended",
                () -> !call.json(path).get("state").asString().equals("running"));
    }

    @Test
    void streamsOfOneAddressAreLimitedAndAClosedOneMakesRoom() throws IOException {
        Deque<EventReader> open = new ArrayDeque<>();
        try {
            for (int i = 0; i < PER_ADDRESS; i++) {
                open.add(EventReader.open(server.port(), "/events"));
            }
            RawAnswer refused = call.get("/events");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("retry-after")).contains("5");

            open.removeFirst().close();

            Await.until(
                    "a stream has ended", () -> server.bean(EventStreams.class).count() < PER_ADDRESS);
            open.add(EventReader.open(server.port(), "/events"));
        } finally {
            closeAll(open);
        }
        awaitNoStream();
    }

    /** Each address of 127.0.0.0/8 is loopback on Linux. */
    @Test
    @EnabledOnOs(OS.LINUX)
    @ExtendWith(NoConnectionLeft.class)
    void twoHundredStreamsLeaveNoThreadAndNoConnection(@TempDir Path folder) throws IOException {
        for (int round = 0; round < Integer.getInteger("millrace.streamRounds", 1); round++) {
            openAndCloseAllStreams(folder);
        }
    }

    private void openAndCloseAllStreams(Path folder) throws IOException {
        long threads = requestThreads(folder);
        Set<String> files = openFiles();
        Deque<EventReader> open = new ArrayDeque<>();
        try {
            for (int i = 0; i < IN_ALL; i++) {
                open.add(EventReader.open(server.port(), "/events", "127.0.1." + (1 + i / PER_ADDRESS)));
            }
            assertThat(server.bean(EventStreams.class).count()).isEqualTo(IN_ALL);
            assertThat(requestThreads(folder)).isEqualTo(threads + IN_ALL);

            RawAnswer oneMore = call.get("/events");

            assertThat(oneMore.status()).isEqualTo(429);
            assertThat(call.get("/caches").status()).isEqualTo(200);
        } finally {
            closeAll(open);
        }
        awaitNoStream();
        Await.until("the threads of the streams have ended", () -> requestThreads(folder) <= threads);
        Await.until("no further file is open", () -> files.containsAll(openFiles()));
    }

    /** EventStreamsTest has listeners whose sockets are full. */
    @Test
    void listenersThatReadLateFindTheEnd() throws IOException {
        String path = start("gated");
        List<EventReader> silent = new ArrayList<>();
        try {
            for (int i = 0; i < PER_ADDRESS; i++) {
                silent.add(EventReader.open(server.port(), path + "/events"));
            }
            TestBeans.GATED.letPass();
            awaitEnd(path);

            for (EventReader each : silent) {
                EventReader.Event last = null;
                for (EventReader.Event event = each.next(); event != null; event = each.next()) {
                    last = event;
                }
                assertThat(Objects.requireNonNull(last).name()).isEqualTo("end");
            }
        } finally {
            closeAll(silent);
        }
    }

    private static void closeAll(Iterable<EventReader> readers) throws IOException {
        for (EventReader each : readers) {
            each.close();
        }
    }

    /** The files that this process has open. The class loader opens jars when it needs them. */
    private static Set<String> openFiles() {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .map(StreamTest::target)
                    .filter(target ->
                            target.startsWith("/") && !target.endsWith(".jar") && !target.startsWith("/proc/"))
                    .collect(Collectors.toSet());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }

    /** Number of threads that run a request, also if they are virtual. */
    private static long requestThreads(Path folder) {
        try {
            Path file = folder.resolve("threads-" + System.nanoTime());
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toString(), ThreadDumpFormat.JSON);
            try (Stream<String> lines = Files.lines(file)) {
                return lines.filter(line -> line.contains("EventStreams.stream("))
                        .count();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
