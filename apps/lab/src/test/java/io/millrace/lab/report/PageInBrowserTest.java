// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

@NeedsChromium
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageInBrowserTest {

    private final Browser browser;

    PageInBrowserTest(Browser browser) {
        this.browser = browser;
    }

    private static long results(String experiment, double rttMillis) {
        return SampleReport.results()
                .filter(result -> result.path("experiment").stringValue().equals(experiment)
                        && result.path("rttMillis").doubleValue(0) == rttMillis)
                .count();
    }

    @Test
    void everyPlotIsDrawnAndNothingIsComplainedOf() {
        browser.open(SampleReport.text());

        assertThat(browser.count(".plot[data-kind=bars]"))
                .as("E1, E2, E3, calls-64")
                .isEqualTo(3 + 1 + 4 + 1);
        assertThat(browser.count(".plot[data-kind=time]")).isEqualTo(3 + 2);
        assertThat(browser.count(".plot[data-kind=round-trip]")).isEqualTo(9);
        assertThat(browser.count(".plot[data-kind=curve]")).isEqualTo(2);
        assertThat(browser.drawn()).hasSize(25).containsOnly("drawn");
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void thePageAsksTheNetworkForNothing() {
        browser.open(SampleReport.text());

        assertThat(browser.ask("return performance.getEntriesByType('resource').map(entry => entry.name)"))
                .isEqualTo(List.of());
    }

    @Test
    void eachExperimentHasATablePerRoundTripWithARowPerResult() {
        browser.open(SampleReport.text());

        assertThat(browser.texts("h2"))
                .containsExactly(
                        "E1: connection patterns",
                        "E2: asynchronous throughput",
                        "E3: pipelines",
                        "calls-64",
                        "E8: tune",
                        "Environment");
        assertThat(browser.texts("#experiment-1 h3"))
                .containsExactly("No delay added", "Round trip of 1 ms", "Round trip of 10 ms", "Over the round trip");
        for (var rtt : List.of("0", "1", "10")) {
            assertThat(browser.count("#experiment-1 [data-rtt='" + rtt + "'] th.contender"))
                    .isEqualTo(results("e1", Double.parseDouble(rtt)));
        }
        assertThat(browser.count("#experiment-2 th.contender")).isEqualTo(results("e2", 1));
        assertThat(browser.count("#experiment-3 th.contender")).isEqualTo(results("e3", 1));
        assertThat(browser.count("#experiment-5 table.points tbody tr")).isEqualTo(7 + 4);
    }

    @Test
    void aRowSaysAllThatIsKnownOfAResult() {
        browser.open("""
                {"results": [{"experiment": "e1", "variant": "pool-8", "contender": "jedis", "rttMillis": 1.5,
                  "operations": 100000, "wallSeconds": [20.5, 22, 21], "medianWallSeconds": 21, "operationsPerSecond": 4762,
                  "userSeconds": 1.25, "systemSeconds": 0.5, "cpuPercent": 8.3, "cpuMicrosPerOperation": 17.5,
                  "serverBusy": 0.031, "factor": 4.9, "verified": true, "unfair": "it cheats", "note": "as documented",
                  "idealSeconds": 20, "outcomes": {"ok": 99990, "error": 0, "timedOut": 10, "refused": 0, "lost": 0}}]}
                """);

        assertThat(browser.texts("table.results thead th"))
                .containsExactly(
                        "variant and contender",
                        "operations/s",
                        "factor",
                        "verified",
                        "outcomes",
                        "operations",
                        "median s",
                        "spread s",
                        "ideal s",
                        "user s",
                        "system s",
                        "CPU %",
                        "CPU µs/op",
                        "server busy");
        assertThat(browser.texts("table.results tbody th")).containsExactly("pool-8", "jedis1, 2");
        assertThat(browser.texts("table.results tbody td"))
                .containsExactly(
                        "4,762",
                        "4.90×",
                        "yes",
                        "99,990 ok, 10 timed out",
                        "100,000",
                        "21.000",
                        "20.500 to 22.000",
                        "20.000",
                        "1.25",
                        "0.50",
                        "8",
                        "17.50",
                        "0.03");
        assertThat(browser.texts(".footnotes li")).containsExactly("Unfair: it cheats.", "As documented.");
    }

    @Test
    void aNoteDoesNotRepeatWhatHasAPlaceOfItsOwn() {
        browser.open(SampleReport.one("""
                , "verified": false, "serverBusy": 0.25, "failure": "it broke",
                "note": "as documented; server busy 0.250 of the wall time; FAILED: it broke"\
                """));

        assertThat(browser.texts(".footnotes li")).containsExactly("Failed: it broke.", "As documented.");
    }

    @Test
    void whoeverIsAsFastAsTheFastestIsSetInBoldToo() {
        browser.open(SampleReport.one(", \"verified\": true}, " + """
                {"experiment": "e1", "variant": "slow", "contender": "first", "operations": 100, "medianWallSeconds": 11.02,
                 "operationsPerSecond": 9, "verified": true}, {
                 "experiment": "e1", "variant": "slow", "contender": "fastest", "operations": 100, "medianWallSeconds": 11.00,
                 "operationsPerSecond": 9, "verified": true}, {
                 "experiment": "e1", "variant": "slow", "contender": "slower", "operations": 100, "medianWallSeconds": 11.2,
                 "operationsPerSecond": 9, "verified": true\s"""));

        assertThat(browser.texts("tr.fastest th")).containsExactly("first", "fastest");
    }

    @Test
    void whatFailedIsNamedAndNeverTheFastest() {
        browser.open(SampleReport.one(", \"verified\": true}, " + """
                {"experiment": "e1", "variant": "pool-8", "contender": "jedis", "operations": 100, "medianWallSeconds": 0.5,
                 "operationsPerSecond": 200, "verified": true}, {
                 "experiment": "e1", "variant": "pool-8", "contender": "loses", "operations": 100, "medianWallSeconds": 0.01,
                 "operationsPerSecond": 10000, "verified": false}, {
                 "experiment": "e1", "variant": "pool-8", "contender": "breaks", "operations": 100, "medianWallSeconds": 0.01,
                 "operationsPerSecond": 10000, "verified": true, "failure": "it broke"\s"""));

        assertThat(browser.texts("tr.fastest th")).containsExactly("jedis");
        assertThat(browser.texts("tr.failed th")).containsExactly("loses", "breaks1");
        assertThat(browser.texts("tr.failed td:nth-of-type(2)")).containsExactly("no", "failed");
        assertThat(browser.texts(".footnotes li")).containsExactly("Failed: it broke.");
        assertThat(browser.texts(".legend li")).contains("failed, or not verified");
        assertThat(browser.texts(".summary").getFirst()).contains("2 failed or not verified");
    }

    @Test
    void aContenderThatFailedHasNoBarInItsColour() {
        browser.open(SampleReport.one(", \"verified\": true"));
        long sound = browser.pixelsOf("--peer-2");
        browser.open(SampleReport.one(", \"verified\": false"));
        long failed = browser.pixelsOf("--peer-2");

        assertThat(sound).isGreaterThan(1_000);
        assertThat(failed).isZero();
        assertThat(browser.pixelsOf("--failed")).isGreaterThan(100);
    }

    @Test
    void textOfTheReportStaysText() {
        browser.open(SampleReport.text());

        assertThat(browser.ask("return typeof window.broken")).isEqualTo("undefined");
        assertThat(browser.count("img, b")).isZero();
        assertThat(browser.count("script")).isEqualTo(3);
        assertThat(browser.texts(".footnotes li"))
                .anyMatch(note ->
                        note.startsWith("</script><img src=x onerror=\"window.broken = 1\"><!-- & {{script}} $1"));
        assertThat(browser.texts(".legend li")).contains("<b>a very long name of a contender that nobody knows</b>");
    }

    @Test
    void aLogarithmicScaleIsSaidToBeOne() {
        browser.open(SampleReport.text());

        assertThat(browser.texts("#experiment-3 h4")).containsExactly("strings", "hash", "drain", "first");
        assertThat(browser.texts("#experiment-3 .variant .caption"))
                .as("all but the first use, whose rates are close together")
                .hasSize(3)
                .allMatch(caption -> caption.startsWith("Logarithmic scale: the highest rate is "));
    }

    @Test
    void legendsNameContendersAndLines() {
        browser.open(SampleReport.text());

        assertThat(browser.texts("#experiment-1 [data-rtt='1'] .legend li"))
                .containsExactly(
                        "jedis",
                        "lettuce",
                        "millrace",
                        "redisson",
                        "valkey-glide",
                        "redis-cli",
                        "vertx",
                        "lowest to highest round",
                        "failed, or not verified");
        assertThat(browser.texts("#experiment-2 .variant:first-of-type .legend li"))
                .containsExactly(
                        "pending (right axis)",
                        "issued",
                        "ok",
                        "timed out",
                        "refused",
                        "executed, as the server counts");
        assertThat(browser.texts("#experiment-2 .side-by-side h5"))
                .containsExactly("lettuce", "vertx", "millrace", "redisson", "lettuce", "millrace");
        assertThat(browser.texts("#experiment-2 p.failed")).containsExactly("failed: OutOfMemoryError after 6 s");
    }

    @Test
    void aCurveNamesItsBottleneckAndTheSettingsToPaste() {
        browser.open(SampleReport.text());

        assertThat(browser.texts(".bottleneck").getFirst())
                .isEqualTo("Bottleneck: server CPU. The server's thread was busy 0.97 of the time.");
        assertThat(browser.texts("table.points tr:nth-child(5) td"))
                .startsWith("4,096", "390,801")
                .contains("knee, recommended");
        assertThat(browser.texts(".settings code"))
                .containsExactly(
                        "--connections 1 --in-flight 4096", "ClientOptions.builder(uri).connections(1).inFlight(4096)");
    }

    @Test
    void theEnvironmentNamesWhatWasNotMeasuredAndHowTrueTheProxyIs() {
        browser.open(SampleReport.text());

        assertThat(browser.texts(".missing li")).containsExactly("redis-benchmark (e1, e3): not on the PATH");
        assertThat(browser.texts("table.proxy tbody tr:first-child td")).containsExactly("1", "1.040", "0.050");
        assertThat(browser.texts("#environment code"))
                .containsExactly("millrace lab run e1 e2 e3 e8 --rtt 0ms --rtt 1ms --rtt 10ms --html report.html");
        assertThat(browser.texts("#environment dd")).contains("5d1c2f0a9e47b3c6d8e1f2a3b4c5d6e7f8091a2b", "8.0.2");
    }

    @Test
    void theButtonDownloadsTheReport() throws IOException, InterruptedException {
        browser.open(SampleReport.text());
        browser.find("summary").click();

        var downloaded = browser.download(
                "millrace-lab.json", () -> browser.find("details button").click());

        assertThat(JsonMapper.shared().readTree(downloaded)).isEqualTo(SampleReport.json());
        assertThat(browser.texts("details pre").getFirst()).startsWith("{\n  \"environment\": {\n    \"date\": ");
        assertThat(browser.console()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"environment\": null, \"results\": null, \"missing\": null, \"curves\": null, \"settings\": null}",
                "{\"environment\": 7, \"results\": {}, \"missing\": \"x\", \"curves\": [null, 1, {}], \"settings\": [[]]}",
                "{\"results\": [null, 7, [], {}, {\"experiment\": \"e2\", \"seconds\": [{}, {\"second\": 1}]}]}",
                "{\"results\": [{\"experiment\": \"__proto__\", \"contender\": \"constructor\", \"operationsPerSecond\": 0}]}",
                "{\"results\": [{\"experiment\": \"e1\", \"operationsPerSecond\": -5, \"rttMillis\": -1, \"wallSeconds\": [0, \"x\"]}]}",
                "{\"curves\": [{\"points\": [{\"value\": 0, \"median\": 0}, {\"value\": 1, \"median\": 5}], \"best\": 0, \"knee\": 9}]}",
                "{\"curves\": [{\"points\": [{\"value\": 3, \"median\": 1}, {\"value\": 3, \"median\": 2}]}]}"
            })
    void fieldsThatAreMissingOrOddAreBorneWith(String report) {
        browser.open(report);

        assertThat(browser.texts("h1")).containsExactly("Millrace lab");
        assertThat(browser.texts("h2")).contains("Environment");
        assertThat(browser.count("details")).isEqualTo(1);
        assertThat(browser.console()).isEmpty();
    }
}
