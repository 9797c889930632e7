// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimilarNameTest {

    private static final List<String> NAMES = List.of("key", "ttl", "field", "fields", "connections", "as", "source");

    @ParameterizedTest
    @CsvSource({"kye, key", "tll, ttl", "feilds, fields", "conections, connections", "a, as", "Source, source"})
    void mistypedNameIsFound(String typed, String name) {
        assertThat(SimilarName.of(typed, NAMES)).contains(name);
    }

    @Test
    void otherWordIsNotSimilar() {
        assertThat(SimilarName.of("password", NAMES)).isEqualTo(Optional.empty());
        assertThat(SimilarName.of("", NAMES)).isEqualTo(Optional.empty());
    }
}
