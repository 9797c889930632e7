// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the lab says when it cannot do what it is told. */
class LabUsageTest {

    private static final String SECRET = "xyzzy";

    @TempDir
    private Path folder;

    private static void isRefused(LabRun lab, String... words) {
        assertThat(lab.exit()).as(lab.err()).isEqualTo(2);
        assertThat(lab.out()).isEmpty();
        assertThat(lab.err())
                .hasLineCount(1)
                .startsWith("lab: ")
                .contains(words)
                .doesNotContain(SECRET);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    run e99                              | no such experiment: e99. There are: e1, e2, e3, e4, e5, e6, e7, e8
                    run e1 --contenders jediss           | no such contender: jediss. There are: jedis, lettuce
                    run e1 --rtt nonsense                | --rtt is not a duration: nonsense. Write
                    run e1 --rtt 10s                     | --rtt is too long: 10s. The most is 2s.
                    run e1 --rtt 1ms,-1ms                | --rtt is not a duration: -1ms
                    run e1 --rounds 0                    | rounds=0. Ask for 1 or more.
                    run e1 --rounds many                 | many
                    run e1 --size 3                      | operations=3
                    run e1 --uri rediss://h:1            | TLS
                    run e1 --uri unix:///run/redis.sock  | Unix socket
                    run e1 --uri redis://h:1 -h there    | --uri and -h or -p both name a server
                    run e1 --uri redis://h:1 -p 1        | --uri and -h or -p both name a server
                    run e1 --uri http://a:xyzzy@h        | --uri cannot be used
                    run e1 -p 70000                      | 70000
                    run e1 -h h -n -1                    | database
                    run e1 --wrong                       | --wrong
                    run e1 --database 3                  | Name a server
                    run e1 --beside-other-keys           | Name a server
                    report                               | FILE
                    report nowhere.json --html page.html | file=nowhere.json
                    wrong                                | wrong
                    ''                                   | say list, run, tune or report
                    """)
    void aUsageErrorIsOneClearLine(String arguments, String words) {
        var lab = LabRun.of(arguments.isEmpty() ? new String[0] : arguments.split(" "));

        isRefused(lab, words);
    }

    @Test
    void aServerThatIsNotThereIsNamedWithoutThePassword() throws IOException {
        int port = freePort();

        var lab = LabRun.of("run", "e1", "--json", "--uri", "redis://lab:" + SECRET + "@127.0.0.1:" + port + "/2");

        isRefused(lab, "endpoint=127.0.0.1:" + port + "/2", "Look at its address");
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void aServerThatRefusesThePasswordIsNamedWithoutIt() {
        try (var server = EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword("the right one"))) {
            var lab = LabRun.of("run", "e1", "--uri", "redis://:" + SECRET + "@127.0.0.1:" + server.port());

            isRefused(lab, "endpoint=127.0.0.1:" + server.port() + "/0", "WRONGPASS");
        }
    }

    @Test
    void aPasswordFileThatIsNotThereIsNamed() {
        isRefused(
                LabRun.of("run", "e1", "-p", "1", "--password-file", folder.resolve("none") + ""),
                "--password-file cannot be read: file=" + folder.resolve("none"));
    }

    @Test
    void whatCannotBeWrittenIsSaidBeforeAnythingIsMeasured() throws IOException {
        var file = Files.writeString(folder.resolve("file"), "");

        isRefused(LabRun.of("run", "broken", "--report", file + "/report.json"), "--report", file + "/report.json");
        isRefused(LabRun.of("run", "broken", "--html", folder.toString()), "--html", folder.toString());
        isRefused(LabRun.of("run", "broken", "--out", file.toString()), "--out", file.toString());
    }

    @Test
    void aReportThatIsNoneMakesNoPage() throws IOException {
        var text = Files.writeString(folder.resolve("report.json"), "no JSON");
        var page = folder.resolve("page.html");

        isRefused(LabRun.of("report", text.toString(), "--html", page.toString()), "the report is not JSON");
        assertThat(page).doesNotExist();
    }
}
