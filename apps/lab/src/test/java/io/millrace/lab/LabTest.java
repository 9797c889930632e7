// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.measure.Environment;
import io.millrace.lab.server.LabException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets the field
    private Path folder;

    private record Ended(int exitCode, String out, String errors) {}

    private static Ended lab(String... args) {
        var out = new ByteArrayOutputStream();
        var errors = new ByteArrayOutputStream();
        int exitCode = Lab.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(errors, true, StandardCharsets.UTF_8),
                args);
        return new Ended(exitCode, out.toString(StandardCharsets.UTF_8), errors.toString(StandardCharsets.UTF_8));
    }

    private static Environment environment(String commit) {
        return new Environment(
                Instant.parse("2026-11-23T10:00:00Z"),
                Optional.of(commit),
                "java",
                Optional.of("Some CPU"),
                2,
                OptionalDouble.of(0.25),
                "7.0.15",
                Map.of());
    }

    @Test
    void listNamesExperimentsScenariosAndContenders() {
        Ended list = lab("list");

        assertThat(list.exitCode()).isZero();
        assertThat(list.out())
                .contains(
                        "recovery  Recovery.", "    cut: All connections are reset", "    batch-jedis: ", ", millrace");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            run nonsense;            no such experiment: nonsense. There are:
            run tune --rtt soon;     --rtt is not a duration of up to a day: soon. Write 500us, 0.5ms, 2s or 3min.
            run tune --rtt 3s;       --rtt is too long: 3000 ms. The limit is 2s.
            run tune --size 0;       --size must be 1 or more: 0.
            run tune --rounds 0;     --rounds must be 1 or more: 0.
            run tune --mix 1-2;      --mix: wrong mix: 1-2.
            run tune --clients x;    no such client: x. There are:
            run tune --client no.jar; --client cannot be read: file=no.jar.
            run bulk tune --payload 9; --payload has no effect in: bulk. Name experiments among: calls, e1,
            run --payload 9;         --payload has no effect in: e2, bulk, loads, cluster, vertx, spring, http, metrics, e4, queues, e6, e7, recovery.
            run tune --bars;         nothing is left to measure.
            run tune --user x;       need a server. Name one with --uri, -h, -p or --socket.
            run tune -h x --uri redis://y; all name a server. Give one of them.
            run tune -p 1 --tls;     TLS needs the certificate of the authority.
            run tune -p 1 -n -1;     --database must be 0 or more
            run tune --uri redis-cluster://h:1 -n 1; --database must be 0 or more, and 0 for a cluster
            run tune --uri redis-sentinel://h:1/0#a --cluster; --cluster and Sentinels exclude each other.
            run tune -p 1 --password-file no.txt; --password-file cannot be read: file=no.txt.
            report no.json;          the report cannot be read: file=no.json.
            run tune --nonsense;     Unknown option: '--nonsense'. See --help.
            """)
    void wrongOptionIsOneClearLine(String arguments, String words) {
        Ended ended = lab(arguments.split(" "));

        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.errors()).startsWith("lab: ").contains(words).hasLineCount(1);
    }

    @Test
    void serverThatDoesNotAnswerIsNamedWithoutThePassword() throws IOException {
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }

        Ended ended = lab("run", "tune", "--uri", "redis://me:secret@127.0.0.1:" + port);

        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.errors()).contains("127.0.0.1:" + port).doesNotContain("secret");
    }

    @Test
    void wrongAddressIsNamedWithoutThePassword() {
        Ended ended = lab("run", "tune", "--uri", "http://me:secret@host");

        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.errors()).doesNotContain("secret");
    }

    @Test
    void recordNeedsACleanCommit() {
        Path wanted = folder.resolve("new");

        RunRecord.requireNew(wanted, environment("1234abc"));
        assertThatThrownBy(() -> RunRecord.requireNew(wanted, environment("1234abc+changes")))
                .isInstanceOf(LabException.class)
                .hasMessage("--out needs a commit without changes: commit=1234abc+changes. Commit first.");
    }

    @Test
    void recordIsNeverOverwritten() throws IOException {
        Path existing = Files.createDirectory(folder.resolve("record"));

        assertThatThrownBy(() -> RunRecord.requireNew(existing, environment("1234abc")))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("The lab does not overwrite a record.");
        assertThatThrownBy(() -> RunRecord.write(existing, Map.of(), "", environment("1234abc")))
                .isInstanceOf(IOException.class);
    }

    @Test
    void recordBelowRunsIsAddedToTheTable() throws IOException {
        Path runs = Files.createDirectory(folder.resolve("runs"));
        Path list =
                Files.writeString(runs.resolve("README.md"), "# Records\n\n| a | b |\n|---|---|\n| c | d |\n\nEnd.\n");

        RunRecord.write(
                runs.resolve("desk/one"), Map.of("table.txt", "table"), "millrace lab run", environment("1234abc"));

        assertThat(runs.resolve("desk/one/table.txt")).hasContent("table");
        assertThat(list).content().endsWith("""
                | c | d |
                | [desk/one](desk/one/table.txt) | 2026-11-23, commit 1234abc, Some CPU, load average 0.25: `millrace lab run` |

                End.
                """);
    }

    @Test
    void listOfRecordsNamesEveryRecord() throws IOException {
        Path runs = Path.of("runs");
        String list = Files.readString(runs.resolve("README.md"));

        try (Stream<Path> records = Files.list(runs).filter(Files::isDirectory)) {
            assertThat(records)
                    .isNotEmpty()
                    .allSatisfy(record -> assertThat(list).contains("| [" + record.getFileName() + "]("));
        }
    }

    @Test
    void helpNamesEveryOption() {
        assertThat(lab("run", "--help").out())
                .contains("--uri", "--rtt", "--size", "--rounds", "--clients", "--report", "--html", "--out", "--help");
    }

    @Test
    void durationsHaveUnits() {
        assertThat(Durations.parse("--rtt", "0.5ms")).isEqualTo(Duration.ofNanos(500_000));
        assertThat(Durations.parse("--rtt", "3min")).isEqualTo(Duration.ofMinutes(3));
        assertThat(Durations.rough(Duration.ofSeconds(90))).isEqualTo("90 s");
        assertThat(Durations.rough(Duration.ofSeconds(150))).isEqualTo("3 min");
    }

    @Test
    void optionsOfMicroArePassedToJmh() {
        assertThat(lab("micro", "--help").exitCode()).isZero();
    }

    @Test
    void mergedRecordKeepsTheCostsWithinAProcess() throws IOException {
        Path part = Files.createDirectory(folder.resolve("part"));
        Files.writeString(part.resolve("report.json"), """
                {"environment": {"date": "2026-11-24T10:00:00Z", "commit": "1234abc", "command": "millrace lab run e1"},
                 "results": []}
                """);
        Files.writeString(part.resolve("micro.txt"), "24 ns");

        Ended merged =
                lab("merge", part.toString(), "--out", folder.resolve("merged").toString());

        assertThat(merged.errors()).isEmpty();
        assertThat(folder.resolve("merged/micro.txt")).hasContent("24 ns");
        assertThat(folder.resolve("merged/report.json")).content().contains("\"complete\" : false");
    }
}
