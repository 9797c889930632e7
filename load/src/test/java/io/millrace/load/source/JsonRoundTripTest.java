// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.source.JsonOptions.Layout;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Compares {@link JsonSource} with the values that Jackson has written. */
final class JsonRoundTripTest {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final List<String> NAMES = List.of("id", "a b", "größe", "x\"y", "nested");
    private static final String[] PIECES = {
        "", "a", "word", "\"", "\\", "\n", "\r\n", "\t", "{", "}", "[", "]", ",", ":", "é", "漢字", "🌊", "\u0001", " "
    };

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    @Test
    void randomRecordsAreReadAsWritten() {
        System.out.println("JsonRoundTripTest seed " + seed);
        for (int i = 0; i < 400; i++) {
            Layout layout = random.nextBoolean() ? Layout.LINES : Layout.DOCUMENT;
            List<Map<String, @Nullable Object>> records = new ArrayList<>();
            for (int count = random.nextInt(20); count >= 0; count--) {
                records.add(record());
            }
            byte[] bytes = written(records, layout).getBytes(StandardCharsets.UTF_8);

            List<Rows.Read> rows = Rows.read(JsonSource.of(
                    pieces(bytes),
                    "random",
                    JsonOptions.defaults().withLayout(layout).withColumns(NAMES)));

            assertThat(rows).as("seed %d, input %d", seed, i).hasSize(records.size());
            for (int row = 0; row < rows.size(); row++) {
                assertThat(rows.get(row).rejection())
                        .as("seed %d, input %d", seed, i)
                        .isEmpty();
                assertSame(rows.get(row), records.get(row));
            }
        }
    }

    private void assertSame(Rows.Read row, Map<String, @Nullable Object> record) {
        for (int column = 0; column < NAMES.size(); column++) {
            Object expected = record.get(NAMES.get(column));
            String found = row.values().get(column);
            if (expected instanceof Collection || expected instanceof Map) {
                assertThat(row.kinds().get(column)).isEqualTo(Row.Kind.JSON);
                assertThat(MAPPER.readTree(found))
                        .as("seed %d", seed)
                        .isEqualTo(MAPPER.readTree(MAPPER.writeValueAsString(expected)));
            } else {
                assertThat(found).as("seed %d", seed).isEqualTo(expected == null ? Rows.NULL : expected.toString());
            }
        }
    }

    /** A record with some of the members, in any order, and with other members. */
    private Map<String, @Nullable Object> record() {
        List<String> names = new ArrayList<>(NAMES);
        names.add("other");
        Collections.shuffle(names, random);
        Map<String, @Nullable Object> record = new LinkedHashMap<>();
        for (String name : names) {
            if (random.nextInt(5) > 0) {
                record.put(name, value(3));
            }
        }
        return record;
    }

    private @Nullable Object value(int depth) {
        return switch (random.nextInt(depth > 0 ? 8 : 6)) {
            case 0 -> null;
            case 1 -> random.nextBoolean();
            case 2 -> random.nextLong();
            case 3 -> new BigDecimal(random.nextInt()).movePointLeft(random.nextInt(1, 9));
            case 4, 5 -> text();
            case 6 -> list(depth - 1);
            default -> map(depth - 1);
        };
    }

    private List<@Nullable Object> list(int depth) {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            list.add(value(depth));
        }
        return list;
    }

    private Map<String, @Nullable Object> map(int depth) {
        Map<String, @Nullable Object> map = new HashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            map.put(text(), value(depth));
        }
        return map;
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    private String written(List<Map<String, @Nullable Object>> records, Layout layout) {
        boolean array = layout == Layout.DOCUMENT && random.nextBoolean();
        StringBuilder text = new StringBuilder(array ? " [\n" : "");
        for (int i = 0; i < records.size(); i++) {
            boolean pretty = layout == Layout.DOCUMENT && random.nextBoolean();
            text.append(i > 0 && array ? "," : "")
                    .append(
                            pretty
                                    ? MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(records.get(i))
                                    : MAPPER.writeValueAsString(records.get(i)))
                    .append('\n');
        }
        return text.append(array ? "]" : "").toString();
    }

    /** A stream whose reads return few bytes. */
    private InputStream pieces(byte[] bytes) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(1 + random.nextInt(200), length));
            }
        };
    }
}
