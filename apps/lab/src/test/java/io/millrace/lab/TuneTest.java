// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@KeepsJvms
class TuneTest {

    private static LabRun lab = new LabRun(0, "", "");

    @BeforeAll
    static void tune() {
        lab = LabRun.of("tune", "--size", "50", "--rounds", "1", "--json");
    }

    private static List<JsonNode> all(String name) {
        return StreamSupport.stream(lab.json().path(name).spliterator(), false).toList();
    }

    private static List<Long> values(JsonNode curve) {
        return StreamSupport.stream(curve.path("points").spliterator(), false)
                .map(point -> point.path("value").longValue())
                .toList();
    }

    private static JsonNode curve(String name) {
        return all("curves").stream()
                .filter(curve -> name.equals(curve.path("name").stringValue()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void thereIsACurveForEachSetting() {
        assertThat(lab.exit()).as(lab.err()).isZero();
        assertThat(all("curves"))
                .extracting(curve -> curve.path("name").stringValue())
                .containsExactly("in-flight", "connections", "fusion", "batch", "shared-connections");
        assertThat(all("results")).isNotEmpty().allSatisfy(result -> {
            assertThat(result.path("experiment").stringValue()).isEqualTo("e8");
            assertThat(result.path("verified").booleanValue(false)).isTrue();
        });
    }

    @Test
    void whatIsRecommendedIsAPointOfItsCurve() {
        assertThat(all("curves")).allSatisfy(curve -> {
            var values = values(curve);
            assertThat(values).isSorted().hasSizeGreaterThanOrEqualTo(2);
            assertThat(values)
                    .contains(
                            curve.path("best").longValue(),
                            curve.path("knee").longValue(),
                            curve.path("recommended").longValue());
            assertThat(curve.path("recommended").longValue())
                    .isLessThanOrEqualTo(curve.path("best").longValue());
        });
    }

    @Test
    void aCurveIsComplete() {
        assertThat(all("curves")).allSatisfy(curve -> {
            assertThat(curve.path("experiment").stringValue()).isEqualTo("e8");
            assertThat(curve.path("title").stringValue()).isNotBlank();
            assertThat(curve.path("rttMillis").doubleValue()).isZero();
            assertThat(curve.path("bottleneck").stringValue())
                    .isIn("server CPU", "client CPU", "window", "round trip", "bandwidth");
            assertThat(curve.path("why").stringValue()).startsWith("used of what there is: server CPU ");
            assertThat(curve.path("points")).allSatisfy(point -> {
                assertThat(point.path("operationsPerSecond")).hasSize(1);
                assertThat(point.path("median").doubleValue()).isPositive();
                assertThat(point.path("cpuMicrosPerOperation").isNumber()).isTrue();
                assertThat(point.path("serverBusy").isNumber()).isTrue();
            });
        });
        assertThat(curve("connections").path("fixed").path("inFlight").longValue())
                .isEqualTo(curve("in-flight").path("recommended").longValue());
    }

    @Test
    void theSettingsToPasteAreThoseThatWereFound() {
        var inFlight = curve("in-flight").path("recommended").longValue();
        var connections = curve("connections").path("recommended").longValue();
        boolean fuses = curve("fusion").path("recommended").longValue() > 0;

        assertThat(all("settings"))
                .extracting(setting -> setting.path("for").stringValue() + ": "
                        + setting.path("text").stringValue())
                .containsExactly(
                        "millrace load: --connections " + connections + " --in-flight " + inFlight
                                + (fuses ? "" : " --no-fusion"),
                        "the library, bulk writers: " + connections + ": client.bulkWriter(new BulkOptions(" + inFlight
                                + ", 8L << 20, Duration.ofSeconds(60)" + (fuses ? "" : ", Fusion.NONE")
                                + "), listener)",
                        "the library, many callers, and pipelines that are run when they hold "
                                + curve("batch").path("recommended").longValue()
                                + ": ClientOptions.builder(uri).connections("
                                + curve("shared-connections")
                                        .path("recommended")
                                        .longValue()
                                + ").build()");
    }
}
