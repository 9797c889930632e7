// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizeTextTest {

    @ParameterizedTest
    @CsvSource({"0, 0", "65536, 65536", "10b, 10", "512KB, 524288", "8MB, 8388608", "8mb, 8388608", "1GB, 1073741824"})
    void unitsArePowersOf1024(String typed, long expected) {
        assertThat(SizeText.parse(typed)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "8 MB", "8M", "1.5GB", "-1", "1TB", "MB"})
    void invalidSizeIsRefusedWithTheValidForms(String typed) {
        assertThatThrownBy(() -> SizeText.parse(typed))
                .hasMessage("'" + typed
                        + "' is not a size. Write bytes or a whole number and a unit: 65536, 512KB, 8MB or 1GB.");
    }

    @Test
    void sizeBeyond63BitsIsParsedAsTheLargestSize() {
        assertThat(SizeText.parse("999999999999999GB")).isEqualTo(Long.MAX_VALUE);
    }
}
