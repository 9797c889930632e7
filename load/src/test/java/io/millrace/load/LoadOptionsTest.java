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
    void aBuilderBeginsWithTheDefaults() {
        assertThat(LoadOptions.builder().build()).isEqualTo(LoadOptions.defaults());
    }

    @ParameterizedTest
    @MethodSource("outOfRange")
    void whatIsOutOfRangeIsRefusedWithTheRange(UnaryOperator<LoadOptions.Builder> change, String message) {
        LoadOptions.Builder builder = change.apply(LoadOptions.builder());

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void aShareOfMoreThanAllIsRefused() {
        assertThatThrownBy(() -> new Verification(1.01)).hasMessage("share=1.01; it must be 0.0 to 1.0");
        assertThatThrownBy(() -> new Verification(Double.NaN)).hasMessage("share=NaN; it must be 0.0 to 1.0");
    }

    private static Stream<Arguments> outOfRange() {
        return Stream.of(
                refused(o -> o.connections(0), "connections=0; it must be 1 to 64"),
                refused(o -> o.connections(65), "connections=65; it must be 1 to 64"),
                refused(o -> o.inFlight(0), "inFlight=0; it must be 1 to 1048576"),
                refused(o -> o.inFlightBytes(65_535), "inFlightBytes=65535; it must be 65536 to 1099511627776"),
                refused(o -> o.timeout(Duration.ofNanos(999_999)), "timeout=PT0.000999999S; it must be 1 ms to 24 h"),
                refused(o -> o.timeout(Duration.ofDays(2)), "timeout=PT48H; it must be 1 ms to 24 h"),
                refused(o -> o.limit(0), "limit=0; it must be at least 1"),
                refused(o -> o.maxErrors(-1), "maxErrors=-1; it must be at least 0"));
    }

    private static Arguments refused(UnaryOperator<LoadOptions.Builder> change, String message) {
        return Arguments.of(change, message);
    }
}
