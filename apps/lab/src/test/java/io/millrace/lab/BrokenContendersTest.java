// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.broken.Behaviour;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Contenders that do wrong fail; those beside them are measured. */
@KeepsJvms
class BrokenContendersTest {

    private static LabRun lab = new LabRun(0, "", "");

    @BeforeAll
    static void run() {
        lab = LabRun.of("run", "broken", "--size", "50", "--rounds", "2", "--json");
    }

    private static JsonNode result(Behaviour behaviour) {
        return lab.results().stream()
                .filter(result -> behaviour
                        .label()
                        .equals(result.path("contender").stringValue() + "/"
                                + result.path("variant").stringValue()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aBrokenContenderIsToldByTheExitCode() {
        assertThat(lab.exit()).as(lab.err()).isEqualTo(1);
        assertThat(lab.results()).hasSize(Behaviour.values().length);
    }

    @ParameterizedTest
    @EnumSource(names = {"GOOD", "GOOD_AND_TALKATIVE", "FRESH", "TORRENTIAL"})
    void goodOnesBesideThemAreMeasured(Behaviour behaviour) {
        var result = result(behaviour);

        assertThat(result.path("verified").booleanValue(false)).isTrue();
        assertThat(result.path("failure").isNull()).isTrue();
        assertThat(result.path("wallSeconds")).hasSize(2);
        assertThat(result.path("outcomes").path("ok").longValue()).isEqualTo(50);
        assertThat(result.path("factor").doubleValue()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"GOOD", "GOOD_AND_TALKATIVE", "FRESH", "TORRENTIAL"})
    void aBrokenOneIsNotVerifiedAndHasNoFactor(Behaviour behaviour) {
        var result = result(behaviour);

        assertThat(result.path("verified").booleanValue(true)).isFalse();
        assertThat(result.path("failure").stringValue()).isNotBlank();
        assertThat(result.path("factor").isNull()).isTrue();
    }

    @Test
    void theFailureSaysWhatWentWrong() {
        assertThat(failures())
                .containsExactly(
                        "values: expected=50, right=45",
                        "read 0: null",
                        "read 0: value 49",
                        "shared, asked to round, failed: IllegalStateException: enough is enough",
                        "shared, asked to open, failed: IllegalStateException: the door is locked",
                        "mortal/warm, asked to round, failed: its JVM ended, and its own words are above",
                        "values: expected=50, right=0",
                        "JedisDataException: WRONGTYPE Operation against a key holding the wrong kind of value");
        assertThat(lab.err().lines())
                .anyMatch(line ->
                        line.startsWith("broken, warm-up, forgetful/warm: ") && line.contains("WRONG DATA: values: "))
                .anyMatch(line -> line.startsWith("broken, warm-up, angry/warm: FAILED: "))
                .noneMatch(line -> line.startsWith("broken, round 1 of 2, angry/warm"));
    }

    private static List<String> failures() {
        return lab.results().stream()
                .filter(result -> !result.path("failure").isNull())
                .map(result -> result.path("failure").stringValue())
                .toList();
    }

    @Test
    void lostCommandsAreCountedAsLost() {
        var outcomes = result(Behaviour.LOSES_EVERY_TENTH_SET).path("outcomes");

        assertThat(outcomes.path("ok").longValue()).isEqualTo(45);
        assertThat(outcomes.path("lost").longValue()).isEqualTo(5);
    }

    @Test
    void theTableSaysNoAndWhy() {
        var table = LabRun.of("run", "broken", "--size", "50", "--rounds", "1", "--contenders", "good,blind");

        assertThat(table.exit()).isEqualTo(1);
        assertThat(table.out().lines())
                .anyMatch(line -> line.matches("warm +good .* yes"))
                .anyMatch(line -> line.matches("warm +blind .* - .* NO"))
                .anyMatch(line -> line.startsWith("warm, blind, WRONG DATA: read 0: null; read 1: null"));
    }
}
