// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

final class GeneratedSourceTest {

    @Test
    void sameSeedGivesTheSameRows() {
        GeneratedSource source = GeneratedSource.customers(500, 7);

        List<Rows.Read> first = Rows.read(source);

        assertThat(first).hasSize(500);
        assertThat(Rows.read(source)).isEqualTo(first);
        assertThat(Rows.values(Rows.read(GeneratedSource.customers(500, 8)))).isNotEqualTo(Rows.values(first));
        assertThat(source.name()).isEqualTo("gen:500?seed=7");
    }

    @Test
    void everyValueHasItsFormat() {
        GeneratedSource source = GeneratedSource.customers(2_000, 0);

        for (Rows.Read row : Rows.read(source)) {
            List<String> values = row.values();
            assertThat(values.get(0)).isEqualTo(Long.toString(row.number()));
            assertThat(values.get(1)).matches("\\S+, \\S+");
            assertThat(values.get(2))
                    .isEqualTo("customer" + row.number() + "@" + values.get(3).toLowerCase(Locale.ROOT) + ".example");
            assertThat(Instant.parse(values.get(5)).toString()).isEqualTo(values.get(5));
            if (!values.get(6).equals(Rows.NULL)) {
                assertThat(Instant.parse(values.get(6))).isAfterOrEqualTo(Instant.parse(values.get(5)));
            }
            assertThat(values.get(7)).matches("-?\\d+\\.\\d\\d");
            assertThat(values.get(8)).matches("true|false");
        }
    }

    @Test
    void numberOfRowsIsKnown() {
        try (RowReader reader = GeneratedSource.customers(4, 0).open()) {
            assertThat(reader.expectedRows()).hasValue(4);
            assertThat(reader.next(new Row())).isTrue();
            assertThat(reader.share()).hasValue(0.25);

            reader.cancel();

            assertThatThrownBy(() -> reader.next(new Row()))
                    .isInstanceOf(SourceException.class)
                    .hasMessage("generating rows failed after 1 rows (cancelled)");
        }
    }

    @Test
    void numberOfRowsOutOfRangeIsRefused() {
        assertThatThrownBy(() -> GeneratedSource.customers(0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rows=0");
    }
}
