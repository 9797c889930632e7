// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.LoadOptions.Verification;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LoadOptionsTest {

    @Test
    void builderStartsWithTheDefaults() {
        assertThat(LoadOptions.builder().build()).isEqualTo(LoadOptions.defaults());
    }

    @ParameterizedTest
    @MethodSource("outOfRange")
    void messageAboutAValueOutOfRangeContainsTheRange(UnaryOperator<LoadOptions.Builder> change, String message) {
        LoadOptions.Builder builder = change.apply(LoadOptions.builder());

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void verificationShareAboveOneIsRefused() {
        assertThatThrownBy(() -> new Verification(1.01)).hasMessage("share=1.01 is out of range: 0 to 1.");
        assertThatThrownBy(() -> new Verification(Double.NaN)).hasMessage("share=NaN is out of range: 0 to 1.");
    }

    private static Stream<Arguments> outOfRange() {
        return Stream.of(
                refused(o -> o.connections(0), "connections=0 is out of range: 1 to 64."),
                refused(o -> o.connections(65), "connections=65 is out of range: 1 to 64."),
                refused(o -> o.inFlight(0), "inFlight=0 is out of range: 1 to 1,048,576."),
                refused(
                        o -> o.inFlightBytes(65_535),
                        "inFlightBytes=65,535 bytes is out of range: 64 KB to just under 1 TB."),
                refused(
                        o -> o.inFlightBytes(1L << 40),
                        "inFlightBytes=1 TB is out of range: 64 KB to just under 1 TB."),
                refused(
                        o -> o.timeout(Duration.ofNanos(999_999)),
                        "timeout=PT0.000999999S is out of range: 1 ms to 10 min."),
                refused(o -> o.timeout(Duration.ofDays(2)), "timeout=2 days is out of range: 1 ms to 10 min."),
                refused(o -> o.limit(0), "limit=0 is out of range: at least 1."),
                refused(o -> o.maxErrors(-1), "maxErrors=-1 is out of range: at least 0."));
    }

    private static Arguments refused(UnaryOperator<LoadOptions.Builder> change, String message) {
        return Arguments.of(change, message);
    }
}
