// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedServer.class)
class ActivityTest {

    private final Call call;
    private final LocalDate today = LocalDate.now(ZoneOffset.UTC);

    ActivityTest(TestServer server) {
        this.call = server.call();
    }

    private String mark(long id, int daysAgo) {
        return "{\"id\":" + id + ",\"time\":\"" + today.minusDays(daysAgo) + "T12:00:00Z\"}";
    }

    private static String row(LocalDate span, int size, String active) {
        return "{\"span\":\"" + span + "\",\"size\":" + size + ",\"active\":[" + active + "]}";
    }

    private static String table(String... rows) {
        return "{\"cohorts\":[" + String.join(",", rows) + "]}";
    }

    @Test
    void marksAreCountedAndTabulated() {
        String path = "/activities/site/login";
        String range = "?from=" + today.minusDays(1) + "&to=" + today;

        RawAnswer first = call.post(
                path + "/marks", "[" + mark(1, 1) + "," + mark(2, 1) + "," + mark(1, 0) + "," + mark(1, 0) + "]");
        RawAnswer again = call.post(path + "/marks", "[" + mark(1, 0) + "]");

        assertThat(first.body()).isEqualTo("{\"marks\":4,\"added\":3}");
        assertThat(again.body()).isEqualTo("{\"marks\":1,\"added\":0}");
        assertThat(call.get(path + "/counts" + range).body())
                .isEqualTo("{\"counts\":[{\"span\":\"" + today.minusDays(1) + "\",\"count\":2},{\"span\":\"" + today
                        + "\",\"count\":1}]}");
        assertThat(call.get(path + "/retention" + range).body())
                .isEqualTo(table(row(today.minusDays(1), 2, "2,1"), row(today, 1, "1")));
        assertThat(call.get(path + "/cohorts" + range).body())
                .isEqualTo(table(row(today.minusDays(1), 2, "2,1"), row(today, 0, "0")));
        assertThat(call.json(path + "/counts" + range + "&granularity=month")
                        .get("counts")
                        .size())
                .isBetween(1, 2);
    }

    @Test
    void tenThousandMarksAreAcceptedAndMoreRefused() {
        String marks = IntStream.range(0, 10_000).mapToObj(id -> mark(id, 0)).collect(Collectors.joining(","));

        assertThat(call.post("/activities/many/seen/marks", "[" + marks + "]").body())
                .isEqualTo("{\"marks\":10000,\"added\":10000}");
        assertThat(call.post("/activities/many/seen/marks", "[" + marks + "," + mark(1, 0) + "]")
                        .status())
                .isEqualTo(413);
    }

    /** Only this route has the larger limit: ten thousand marks do not fit into the limit of the other bodies. */
    @Test
    void marksMayHaveAMebibyteAndOtherBodies64Kibibytes() {
        String blanks = " ".repeat(1024 * 1024 - 2);

        assertThat(call.post("/activities/large/e/marks", "[" + blanks + "]").status())
                .isEqualTo(200);
        assertThat(call.post("/activities/large/e/marks", "[" + blanks + " ]").status())
                .isEqualTo(413);
        assertThat(call.post("/loads", "{" + " ".repeat(64 * 1024 - 1) + "}").status())
                .isEqualTo(413);
        assertThat(call.post("/loads", "{" + " ".repeat(64 * 1024 - 2) + "}").status())
                .isEqualTo(400);
    }

    @Test
    void wrongQueriesAreRefused() {
        call.post("/activities/wrong/e/marks", "[" + mark(1, 0) + "]");
        String path = "/activities/wrong/e/counts";

        assertThat(call.get("/activities/unknown/e/counts?from=2026-01-01&to=2026-01-02")
                        .status())
                .isEqualTo(404);
        assertThat(call.get(path).status()).isEqualTo(400);
        assertThat(call.get(path + "?from=2026-01-01").status()).isEqualTo(400);
        assertThat(call.get(path + "?from=2026-02-01&to=2026-01-02").status()).isEqualTo(400);
        assertThat(call.get(path + "?from=2024-01-01&to=2026-01-02").status()).isEqualTo(400);
        assertThat(call.get(path + "?from=x&to=2026-01-02").status()).isEqualTo(400);
        assertThat(call.get(path + "?from=%2B999999999-01-01&to=2026-01-02").status())
                .isEqualTo(400);
        assertThat(call.get(path + "?from=2026-01-01&to=2026-01-02&granularity=year")
                        .status())
                .isEqualTo(400);
        assertThat(call.get(path + "?from=2026-01-01&to=2026-01-02&granularity=hour")
                        .status())
                .isEqualTo(400);
        assertThat(call.post("/activities/wrong/e/marks", "[{\"id\":-1,\"time\":\"2026-01-01\"}]")
                        .status())
                .isEqualTo(400);
        assertThat(call.post("/activities/wrong/e/marks", "[{\"id\":1,\"time\":\"yesterday\"}]")
                        .status())
                .isEqualTo(400);
        assertThat(call.post("/activities/wrong/e/marks", "[null]").status()).isEqualTo(400);
    }
}
