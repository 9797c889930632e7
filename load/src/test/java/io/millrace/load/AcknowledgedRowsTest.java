// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.Row;
import io.millrace.load.source.SourceException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AcknowledgedRowsTest {

    private final AcknowledgedRows rows = new AcknowledgedRows(new RowDigest());

    @Test
    void positionIsBeforeTheFirstRowThatIsNotDone() {
        List<Row> read = read(3 * AcknowledgedRows.MARK_ROWS);

        read.stream()
                .filter(row -> row.number() != AcknowledgedRows.MARK_ROWS + 10)
                .forEach(rows::done);
        read(3 * AcknowledgedRows.MARK_ROWS, AcknowledgedRows.MARK_ROWS);

        assertThat(rows.position().rows()).isEqualTo(AcknowledgedRows.MARK_ROWS);
    }

    @Test
    void positionDoesNotDependOnTheOrderOfTheOutcomes() {
        long seed = new Random().nextLong();
        int count = 50 * AcknowledgedRows.MARK_ROWS + 7;
        List<Row> read = read(count);
        Collections.shuffle(read, new Random(seed));

        read.forEach(rows::done);
        rows.finished();

        assertThat(rows.position()).as("seed=%d", seed).isEqualTo(digest(count).position());
        assertThat(rows.areAllDone()).isTrue();
    }

    @Test
    void positionNeverPassesARowThatWasLeftOpen() {
        List<Row> read = read(2 * AcknowledgedRows.MARK_ROWS);

        read.stream().limit(AcknowledgedRows.MARK_ROWS + 5).forEach(rows::done);
        rows.leftOpen();
        read.forEach(rows::done);
        rows.finished();

        assertThat(rows.position().rows()).isEqualTo(AcknowledgedRows.MARK_ROWS);
        assertThat(rows.areAllDone()).isFalse();
    }

    @Test
    void positionFallsBackBeforeRowsThatAFailoverHasTakenBack() {
        int mark = AcknowledgedRows.MARK_ROWS;
        read(4 * mark).forEach(rows::done);
        rows.finished();
        long before = rows.position().rows();

        rows.takenBack(2L * mark + 1);
        long afterwards = rows.position().rows();
        rows.takenBack(2L * mark);
        long later = rows.position().rows();
        read(4 * mark, mark).forEach(rows::done);
        rows.finished();

        assertThat(before).isEqualTo(4L * mark);
        assertThat(afterwards).isEqualTo(2L * mark);
        assertThat(later).isEqualTo(mark);
        assertThat(rows.position()).isEqualTo(digest(mark).position());
        assertThat(rows.areAllDone()).isFalse();
    }

    @Test
    void positionDoesNotAdvanceOverARowThatAFailoverHasTakenBack() {
        int mark = AcknowledgedRows.MARK_ROWS;
        read(mark - 1).forEach(rows::done);

        rows.takenBack(5);
        read(mark - 1, mark).forEach(rows::done);
        rows.finished();

        assertThat(rows.position().rows()).isZero();
    }

    @Test
    void fewPositionsAreRemembered() {
        int marks = 3 * AcknowledgedRows.MAX_PASSED;
        for (int i = 0; i < marks; i++) {
            read(i * AcknowledgedRows.MARK_ROWS, AcknowledgedRows.MARK_ROWS).forEach(rows::done);
        }
        rows.finished();
        long last = rows.position().rows();

        rows.takenBack(last / 2);

        assertThat(rows.position().rows()).isBetween(last / 4, last / 2);
    }

    @Test
    void digestDependsOnTheOrderOfTheRowsAndOnTheBordersOfTheirValues() {
        RowDigest one = new RowDigest();
        RowDigest swapped = new RowDigest();
        RowDigest shifted = new RowDigest();

        one.add(row(1, "a", "bc"));
        one.add(row(2, "d", ""));
        swapped.add(row(1, "d", ""));
        swapped.add(row(2, "a", "bc"));
        shifted.add(row(1, "ab", "c"));
        shifted.add(row(2, "d", ""));

        assertThat(List.of(swapped.position(), shifted.position())).doesNotContain(one.position());
    }

    @Test
    void sourceThatDoesNotNumberItsRowsIsRefused() {
        assertThatThrownBy(() -> rows.read(row(0, "a")))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("expected=1, number=0");
    }

    private List<Row> read(int count) {
        return read(0, count);
    }

    /** Reads {@code count} rows after the first {@code before} rows. */
    private List<Row> read(int before, int count) {
        List<Row> read = new ArrayList<>();
        for (int i = before; i < before + count; i++) {
            Row row = row(i + 1, "value " + i);
            rows.read(row);
            read.add(row);
        }
        return read;
    }

    private static RowDigest digest(int count) {
        RowDigest digest = new RowDigest();
        for (int i = 0; i < count; i++) {
            digest.add(row(i + 1, "value " + i));
        }
        return digest;
    }

    private static Row row(long number, String... values) {
        Row row = new Row();
        row.clear(number, 0);
        for (String value : values) {
            row.add(Row.Kind.TEXT, value);
        }
        return row;
    }
}
