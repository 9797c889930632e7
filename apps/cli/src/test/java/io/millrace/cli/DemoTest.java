// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoTest {

    private static final Pattern PORT = Pattern.compile("listens on port (\\d+)");

    @Test
    void demoLoadsAndVerifiesRowsComparesLoadsAndDeletesAllFiles(@TempDir Path temporary) throws IOException {
        String shared = System.getProperty("java.io.tmpdir");
        System.setProperty("java.io.tmpdir", temporary.toString());

        CliRun run;
        try {
            run = CliRun.of("demo", "--rows", "3000");
        } finally {
            System.setProperty("java.io.tmpdir", shared);
        }

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("The load generates customers")
                .contains("verified: 3,000 rows read back, 0 differ")
                .contains("rows: 3000, written: 3000, rejected: 0, skipped: 0, unconfirmed: 0, ")
                .containsPattern("one command at a time +3,000 +\\d+\\.\\d\\d +[\\d,]+")
                .containsPattern("Millrace was \\d+\\.\\d times as fast");
        assertThat(run.out()).contains("millrace load 'gen:3000?seed=20261121' --key 'customer:{id}'");
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
        assertThat(answers(port(run.out()))).isFalse();
    }

    /** Shows that the demo shows the loader, and not the speed of its rows. The answer needs an idle machine. */
    @Test
    @Tag("soak")
    void sourceOfTheDemoIsNotItsBottleneckOnAnIdleMachine() {
        CliRun run = CliRun.of("demo", "--rows", "300000");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).containsPattern("; bottleneck: (mapping|server|network)\n");
    }

    @Test
    void keepOptionRunsTheServerUntilEnterIsPressed() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<Map<String, String>> seen = new ArrayList<>();
        InputStream enter = new InputStream() {
            @Override
            public int read() {
                try (Keyspace keyspace = Keyspace.of(port(out.toString(UTF_8)))) {
                    seen.add(keyspace.hash("customer:42"));
                    assertThat(keyspace.size()).isEqualTo(50);
                }
                return '\n';
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                throw new AssertionError("the demo must read one byte only");
            }
        };

        int code = Millrace.run(
                new String[] {"demo", "--rows", "50", "--keep"},
                enter,
                new PrintStream(out, false, UTF_8),
                new PrintStream(new ByteArrayOutputStream(), false, UTF_8),
                Map.of());

        assertThat(code).isZero();
        assertThat(out.toString(UTF_8)).contains("redis-cli -p " + port(out.toString(UTF_8)) + " hgetall customer:42");
        assertThat(seen).hasSize(1);
        assertThat(seen.getFirst())
                .containsEntry("id", "42")
                .containsOnlyKeys(
                        "id", "name", "email", "country", "city", "signed_up", "last_order", "balance", "vip");
        assertThat(answers(port(out.toString(UTF_8)))).isFalse();
    }

    private static int port(String out) {
        Matcher matcher = PORT.matcher(out);
        assertThat(matcher.find()).as(out).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }
}
