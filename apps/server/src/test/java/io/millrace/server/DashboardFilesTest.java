// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The files of the dashboard, without a browser. */
@ExtendWith(SharedServer.class)
class DashboardFilesTest {

    private static final Path FOLDER = Path.of("src/main/resources/dashboard");

    private final Call call;

    DashboardFilesTest(TestServer server) {
        this.call = server.call();
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.toList();
        }
    }

    @Test
    void eachFileIsServed() throws IOException {
        assertThat(call.get("/").body()).isEqualTo(Files.readString(FOLDER.resolve("index.html")));
        for (Path file : files()) {
            String name = file.getFileName().toString();
            RawAnswer answer = call.get("/dashboard/" + name);

            assertThat(answer.status()).as(name).isEqualTo(name.equals("index.html") ? 404 : 200);
            if (answer.status() == 200) {
                assertThat(answer.body()).as(name).isEqualTo(Files.readString(file));
            }
        }
        assertThat(call.get("/dashboard/none.js").status()).isEqualTo(404);
        assertThat(call.get("/dashboard/").status()).isEqualTo(404);
    }

    /** The policy of the page forbids scripts and styles inside HTML. */
    @Test
    void filesHaveNoScriptInHtmlAndNoOtherHost() throws IOException {
        for (Path file : files()) {
            String name = file.getFileName().toString();
            if (!name.startsWith("uPlot")) {
                String text = Files.readString(file).replace("http://www.w3.org/2000/svg", "");
                assertThat(text)
                        .as(name)
                        .contains("SPDX-License-Identifier: Apache-2.0")
                        .doesNotContain(
                                "http:", "https:", "innerHTML", "insertAdjacentHTML", "eval(", "style=", "onclick=");
                assertThat(text.lines().count()).as(name).isLessThan(400);
            }
        }
    }
}
