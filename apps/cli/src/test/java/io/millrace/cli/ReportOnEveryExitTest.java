// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report of loads that end before their first row, or whose output is closed. */
class ReportOnEveryExitTest {

    @TempDir
    Path folder;

    private String shop = "";
    private Path report = Path.of("");

    @BeforeEach
    void createFiles() throws IOException {
        shop = Files.writeString(folder.resolve("shop.csv"), "id,name\n1,Ada\n").toString();
        report = folder.resolve("report.json");
    }

    @Test
    void failedConnectionHasAReport() throws IOException {
        // Bound but not listening: the port refuses connections, and no other process can take it.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            String port = Integer.toString(bound.getLocalPort());

            CliRun run = load(shop, "-p", port, "--json", "--report", report.toString());

            assertThat(run.code()).isEqualTo(5);
            assertThat(run.out())
                    .startsWith("{\"rows\":{\"read\":0,")
                    .contains("\"ending\":\"failed\",\"reason\":\"cannot connect to redis://127.0.0.1:" + port)
                    .contains("\"exit\":5,\"job\":\"load\",\"source\":\"" + shop + "\",\"target\":\"redis://127.0.0.1:"
                            + port + " hash {id}\",\"started\":\"");
            assertThat(Files.readString(report).strip()).isEqualTo(run.out().strip());
        }
    }

    @Test
    void failedConnectionHasAnAccountOfTheRows() throws IOException {
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

            CliRun run = load(shop, "-p", Integer.toString(bound.getLocalPort()));

            assertThat(run.code()).isEqualTo(5);
            assertThat(run.out()).startsWith("failed before the first row of " + shop + "\nrows: 0, written: 0, ");
        }
    }

    @Test
    void resultOfALoadThatCannotBeginGoesToStandardErrorIfStandardOutputIsFull() {
        ByteArrayOutputStream unconnected = new ByteArrayOutputStream();
        ByteArrayOutputStream refused = new ByteArrayOutputStream();
        String[] args = {"load", shop, "--key", "{nmae}", "--as", "hash", "-p", "1", "--json"};

        int codeOfPlan = Millrace.run(
                args, InputStream.nullInputStream(), full(), new PrintStream(unconnected, false, UTF_8), Map.of());
        args[1] = folder.resolve("no.csv").toString();
        int codeOfFile = Millrace.run(
                args, InputStream.nullInputStream(), full(), new PrintStream(refused, false, UTF_8), Map.of());

        assertThat(codeOfPlan).isEqualTo(2);
        assertThat(unconnected.toString(UTF_8))
                .contains("\"ending\":\"failed\",\"reason\":\"no such column: column=nmae");
        assertThat(codeOfFile).isEqualTo(2);
        assertThat(refused.toString(UTF_8)).contains("{\"rows\":{\"read\":0,", "there is no such file");
    }

    private static PrintStream full() {
        return new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int value) throws IOException {
                        throw new IOException("no space");
                    }
                },
                false,
                UTF_8);
    }

    @Test
    void unknownColumnAndMissingFileHaveAReport() throws IOException {
        CliRun column =
                CliRun.of("load", shop, "--key", "{nmae}", "--as", "hash", "-p", "1", "--report", report.toString());
        String ofColumn = Files.readString(report);
        CliRun file = load(folder.resolve("no.csv").toString(), "--report", report.toString());

        assertThat(column.code()).isEqualTo(2);
        assertThat(ofColumn).contains("\"ending\":\"failed\",\"reason\":\"no such column: column=nmae", "\"exit\":2");
        assertThat(file.code()).isEqualTo(2);
        assertThat(Files.readString(report)).contains("there is no such file", "\"exit\":2");
    }

    @Test
    void reportOfARefusedLoadContainsNoSecret() {
        CliRun run = CliRun.of(
                "load",
                "jdbc:postgresql://me:hunter2@db/shop?password=hunter3",
                "--key",
                "{id}",
                "--as",
                "hash",
                "--json");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out()).startsWith("{\"rows\":").contains("jdbc:postgresql://db/shop");
        assertThat(run.out() + run.err()).doesNotContain("hunter");
    }

    @Test
    void refusedReportFileStaysUnchanged() throws IOException {
        Files.writeString(report, "precious");

        CliRun run = load(shop, "--report", report.toString());

        assertThat(run.code()).isEqualTo(2);
        assertThat(Files.readString(report)).isEqualTo("precious");
    }

    @Test
    void resultGoesToStandardErrorIfStandardOutputIsFull() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            String[] args = {
                "load",
                shop,
                "--key",
                "c:{id}",
                "--as",
                "hash",
                "-p",
                Integer.toString(redis.port()),
                "--report",
                report.toString()
            };

            int code = Millrace.run(
                    args, InputStream.nullInputStream(), full(), new PrintStream(err, false, UTF_8), Map.of());

            assertThat(code).isEqualTo(1);
            assertThat(err.toString(UTF_8))
                    .contains("the result could not be written to standard output")
                    .contains("rows: 1, written: 1, rejected: 0, skipped: 0, unconfirmed: 0,");
            assertThat(Files.readString(report)).contains("\"written\":1", "\"exit\":1");
        }
    }

    @Test
    void loadThatWritesNothingIsNotCalledLoaded() throws IOException {
        Files.writeString(Path.of(shop), "id,name\n");
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            CliRun run = load(shop, "-p", Integer.toString(redis.port()));

            assertThat(run.code()).isZero();
            assertThat(run.out()).startsWith("nothing was written: " + shop).doesNotContain("loaded");
        }
    }

    @Test
    void repeatedKeysAreNamed() throws IOException {
        Files.writeString(Path.of(shop), "id,name\n1,a\n2,b\n1,c\n");
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            CliRun run = load(shop, "-p", Integer.toString(redis.port()));

            assertThat(run.out()).contains("keys: 3 rows, 2 keys; of the rows of one key, only the last one remains");
        }
    }

    @Test
    void firstRowOfARepeatedKeyRemainsIfOnlyMissingKeysAreWritten() throws IOException {
        Files.writeString(Path.of(shop), "id,name\n1,a\n2,b\n1,c\n");
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(redis)) {
            CliRun run = load(shop, "--only-missing", "-p", Integer.toString(redis.port()));

            assertThat(run.out()).contains("keys: 3 rows, 2 keys; of the rows of one key, only the first one remains");
            assertThat(keyspace.hash("1")).containsEntry("name", "a");
        }
    }

    private static CliRun load(String source, String... more) {
        return CliRun.of(CliRun.args(List.of("load", source, "--key", "{id}", "--as", "hash"), more));
    }
}
