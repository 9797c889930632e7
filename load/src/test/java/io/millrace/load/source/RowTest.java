// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.source.Rejection.Reason;
import io.millrace.load.source.Row.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RowTest {

    private final Row row = new Row();

    @ParameterizedTest
    @ValueSource(
            longs = {0, 1, -1, 9, 10, -10, 99, 100, 1_000_000_007, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1})
    void numbersAreWrittenInDecimalDigits(long value) {
        row.clear(1, 0);
        row.add(Kind.TEXT, "before");
        row.add(value);

        assertThat(row.text(1)).isEqualTo(Long.toString(value));
        assertThat(row.kind(1)).isEqualTo(Kind.NUMBER);
    }

    @Test
    void valuesAreStoredWithoutGaps() {
        row.clear(7, 9);
        row.add(42);
        row.addNull();
        row.add(Kind.TEXT, "größe");
        row.add(Kind.TEXT, "");
        row.add(true);

        assertThat(row.size()).isEqualTo(5);
        assertThat(row.start(2)).isEqualTo(2);
        assertThat(row.length(2)).isEqualTo(7);
        assertThat(row.isNull(1)).isTrue();
        assertThat(row.isNull(3)).isFalse();
        assertThat(Rows.Read.of(row).values()).containsExactly("42", Rows.NULL, "größe", "", "true");
        assertThat(row.number()).isEqualTo(7);
        assertThat(row.line()).isEqualTo(9);
    }

    @Test
    void openValueCanBeTruncated() {
        row.clear(1, 1);
        row.add(1);
        row.append(new byte[] {'a', 'b', 'c'}, 0, 3);
        row.append(new byte[] {'x', 'd'}, 1, 1);

        assertThat(row.openLength()).isEqualTo(4);
        row.truncateOpen(2);
        row.truncateOpen(3);
        row.end(Kind.TEXT);

        assertThat(Rows.Read.of(row).values()).containsExactly("1", "ab");
    }

    @Test
    void charactersAreAppendedInUtf8AndHalfASurrogatePairIsReported() {
        row.clear(1, 1);
        for (String text : new String[] {"", "plain", "größe", "漢", "a🌊b", "x".repeat(5_000) + "é"}) {
            assertThat(row.append(text.toCharArray(), 0, text.length())).isTrue();
            row.end(Kind.TEXT);
            assertThat(row.text(row.size() - 1)).isEqualTo(text);
        }

        char[] halves = {'a', '\uD83C', 'b', '\uDF0A'};
        assertThat(row.append(halves, 0, 3)).isFalse();
        assertThat(row.append(halves, 3, 1)).isFalse();
        assertThat(row.append(halves, 1, 1)).isFalse();
    }

    @Test
    void clearedRowIsEmpty() {
        row.clear(1, 1);
        row.add(Kind.TEXT, "x".repeat(100_000));
        row.reject(Reason.NO_VALUE, "why");

        row.clear(2, 2);

        assertThat(row.size()).isZero();
        assertThat(row.isRejected()).isFalse();
    }

    @Test
    void trimmedRowKeepsASmallBuffer() {
        row.clear(1, 1);
        row.add(Kind.TEXT, "x".repeat(900));
        row.trim();
        assertThat(row.capacity()).isBetween(900, Row.KEPT_BYTES);

        row.clear(2, 2);
        row.add(Kind.TEXT, "x".repeat(900));
        row.add(Kind.TEXT, "y".repeat(900));
        row.trim();
        assertThat(row.capacity()).isLessThan(900);

        row.clear(3, 3);
        row.add(Kind.TEXT, "z");
        assertThat(row.text(0)).isEqualTo("z");
    }

    @Test
    void emptyColumnsNeedMemoryThatATrimmedRowReleases() {
        row.clear(1, 1);
        for (int column = 0; column < 2_000; column++) {
            row.addNull();
        }
        assertThat(row.capacity()).isGreaterThan(8 * 2_000);

        row.trim();

        assertThat(row.capacity()).isLessThanOrEqualTo(Row.KEPT_BYTES);
        row.clear(2, 2);
        row.add(Kind.TEXT, "z");
        assertThat(row.text(0)).isEqualTo("z");
    }
}
