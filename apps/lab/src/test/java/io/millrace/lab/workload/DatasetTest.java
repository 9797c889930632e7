// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.TestServer;
import io.millrace.lab.run.Outcomes;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

class DatasetTest {

    @TempDir
    private Path folder;

    @Test
    void readyMadeCommandsAreWhatTheWireCarries() throws Exception {
        var words = List.of(
                "*3",
                "$3",
                "SET",
                "$13",
                "key:000000000",
                "$16",
                "value:0000000000",
                "*3",
                "$3",
                "SET",
                "$13",
                "key:000000001",
                "$16",
                "value:0000000001",
                "");

        var file = new StringData().writeCommands(folder.resolve("commands"), 2);

        assertThat(file).content(StandardCharsets.UTF_8).isEqualTo(String.join("\r\n", words));
    }

    @Test
    void theCursorGivesTheSamePairsAsTheCommands() {
        var cursor = new StringData.Cursor("");
        for (long n = 0; n < 12_345; n++) {
            var pair = new StringData().words(n);

            assertThat(new String(cursor.key(), StandardCharsets.US_ASCII)).isEqualTo(pair.get(1));
            assertThat(new String(cursor.value(), StandardCharsets.US_ASCII)).isEqualTo(pair.get(2));

            cursor.next();
        }
    }

    @Test
    void aRowOfTheFileHoldsTheValuesOfItsCommand() throws Exception {
        var csv = new StringWriter();
        RowData.writeCsv(csv, 200);

        var lines = csv.toString().lines().toList();

        assertThat(lines).hasSize(201).startsWith("id,name,email,city,balance");
        for (int n = 0; n < 200; n++) {
            var values = RowData.values(n);
            var name = values.get(1).contains(",") ? '"' + values.get(1) + '"' : values.get(1);
            assertThat(lines.get(n + 1))
                    .isEqualTo(String.join(",", values.get(0), name, values.get(2), values.get(3), values.get(4)));
        }
        assertThat(lines).filteredOn(line -> line.contains("\"")).hasSizeBetween(5, 30);
    }

    @Test
    void completeDataPassesTheCheck() {
        try (var server = TestServer.start(folder)) {
            set(server.control(), 0, 500);

            assertThat(new StringData().complaints(server, 500)).isEmpty();
            assertThat(new StringData().outcomes(server, 500)).isEqualTo(Outcomes.answered(500, 0));
        }
    }

    @Test
    void aMissingKeyIsFoundByItsNumber() {
        try (var server = TestServer.start(folder)) {
            set(server.control(), 0, 499);

            assertThat(new StringData().complaints(server, 500))
                    .containsExactly(
                            "calls of set: expected=500, executed=499, failed=0, rejected=0",
                            "keys: expected=500, found=499",
                            "key:000000499: expected=value:0000000499, found=null");
            assertThat(new StringData().outcomes(server, 500)).isEqualTo(new Outcomes(499, 0, 0, 0, 1));
        }
    }

    @Test
    void aWrongValueIsFoundAmongTheRightNumberOfKeys() {
        try (var server = TestServer.start(folder)) {
            set(server.control(), 0, 499);
            server.control().set("key:000000499", "other");

            assertThat(new StringData().complaints(server, 500))
                    .containsExactly("key:000000499: expected=value:0000000499, found=other");
        }
    }

    @Test
    void aHashWithAForeignFieldIsFound() {
        try (var server = TestServer.start(folder)) {
            for (long n = 0; n < 10; n++) {
                send(server.control(), new RowData().words(n).toArray(String[]::new));
            }
            assertThat(new RowData().complaints(server, 10)).isEmpty();

            server.control().hset("row:9", "age", "5");

            assertThat(new RowData().differences(server.control(), new long[] {8, 9}))
                    .singleElement()
                    .asString()
                    .startsWith("row:9: expected={id=9")
                    .contains("age=5");
        }
    }

    private static void set(Jedis redis, long from, long to) {
        for (long n = from; n < to; n++) {
            send(redis, new StringData().words(n).toArray(String[]::new));
        }
    }

    private static void send(Jedis redis, String... words) {
        var arguments = new String[words.length - 1];
        System.arraycopy(words, 1, arguments, 0, arguments.length);
        redis.sendCommand(Protocol.Command.valueOf(words[0]), arguments);
    }
}
