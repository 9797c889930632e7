// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.RowMapping;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeySetTest {

    private final RowMapping mapping = HashTarget.of("{id}").bind(List.of(new Column("id"), new Column("name")));

    @Test
    void fullKeySetDoesNotAddAnotherPlace() {
        KeySet places = new KeySet(2, 1_000);

        add(places, "a", "b", "a");
        assertThat(places.size()).isEqualTo(2);
        assertThat(places.overflowed()).isFalse();
        add(places, "c");

        assertThat(places.overflowed()).isTrue();
        assertThat(places.contains(at("b"))).isTrue();
        assertThat(places.contains(at("c"))).isFalse();
    }

    @Test
    void removedPlaceNoLongerCountsForTheByteLimit() {
        KeySet places = new KeySet(100, 10);

        add(places, "12345678");
        places.remove(at("12345678"));
        places.remove(at("unknown"));
        add(places, "abcdefghij");
        assertThat(places.overflowed()).isFalse();
        add(places, "x");

        assertThat(places.overflowed()).isTrue();
        assertThat(places.size()).isEqualTo(1);
    }

    private void add(KeySet places, String... ids) {
        for (String id : ids) {
            places.add(at(id));
        }
    }

    private RowMapping at(String id) {
        Row row = new Row();
        row.clear(1, 0);
        row.add(Row.Kind.TEXT, id);
        row.add(Row.Kind.TEXT, "x");
        assertThat(mapping.prepare(row)).isEmpty();
        return mapping;
    }
}
