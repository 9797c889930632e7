// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.doctor.Defect.ServerVersion;
import io.millrace.cli.doctor.Finding.Level;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefectTest {

    private static final Defect DEFECT = new Defect(false, "X-1", "a crash", Map.of("7.2", 11, "8.0", 4));

    @ParameterizedTest
    @CsvSource({
        "7.2.10, true",
        "7.2.11, false",
        "7.0.15, true",
        "6.2.99, true",
        "7.4.9, true",
        "8.0.3, true",
        "8.0.4, false",
        "8.2.0, false",
        "10.0.0, false"
    })
    void lineWithoutAFixIsAffectedIfALaterLineWasFixed(String version, boolean affected) {
        assertThat(DEFECT.affects(ServerVersion.parse(version).orElseThrow())).isEqualTo(affected);
    }

    @Test
    void fixIsInTheSameLineOrInTheNextFixedLine() {
        assertThat(DEFECT.fix(new ServerVersion(7, 2, 4))).isEqualTo("7.2.11");
        assertThat(DEFECT.fix(new ServerVersion(7, 0, 15))).isEqualTo("7.2.11");
        assertThat(DEFECT.fix(new ServerVersion(7, 4, 0))).isEqualTo("8.0.4");
    }

    @Test
    void versionOfAnotherFormIsUnknown() {
        assertThat(ServerVersion.parse("255.255.255-dev")).contains(new ServerVersion(255, 255, 255));
        assertThat(ServerVersion.parse("7.x")).isEmpty();
    }

    @Test
    void oldVersionIsAProblemAndValkeyIsNot() {
        assertThat(version(Map.of("redis_version", "6.0.16")).level()).isEqualTo(Level.PROBLEM);
        assertThat(version(Map.of("redis_version", "7.2.4", "valkey_version", "9.1.1"))
                        .level())
                .isEqualTo(Level.OK);
        Finding old = version(Map.of("redis_version", "7.2.4", "valkey_version", "8.1.3"));
        assertThat(old.level()).isEqualTo(Level.ADVICE);
        assertThat(old.message()).contains("CVE-2026-56684", "CVE-2025-49844");
        assertThat(old.advice()).hasValueSatisfying(advice -> assertThat(advice).startsWith("Upgrade to 8.1.9"));
    }

    private static Finding version(Map<String, String> facts) {
        List<Finding> findings = VersionCheck.of(new ServerState(facts, Map.of(), Map.of()));
        assertThat(findings).hasSize(1);
        return findings.getFirst();
    }
}
