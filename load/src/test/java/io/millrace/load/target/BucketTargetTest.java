// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.ArgumentSink;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The commands of a bucket target. */
class BucketTargetTest {

    private static final StringTarget TARGET = StringTarget.of("user:{id}", "name");

    @Test
    void numberedKeyBecomesAFieldOfTheBucketOfItsNumber() {
        RowMapping mapping = TARGET.withBucket(BucketOptions.of(1_000)).bind(Rows.columns("id", "name"));

        assertThat(arguments(mapping, Rows.row(123456, "Ada")))
                .containsExactly("HSET", "user:{123}:1000", "456", "Ada");
        assertThat(arguments(mapping, Rows.row(0, ""))).containsExactly("HSET", "user:{0}:1000", "0", "");
        assertThat(mapping.keyLength()).isEqualTo("user:{0}:1000".length());
    }

    @Test
    void anyKeyBecomesAFieldOfTheBucketOfItsHashCode() {
        Target target = TARGET.withBucket(BucketOptions.of(1_000).withPairs(1_000_000));
        RowMapping mapping = target.bind(Rows.columns("id", "name"));

        assertThat(arguments(mapping, Rows.row("ann@a.io", "Ann")))
                .containsExactly("HSET", "user:{217}/1278", "ann@a.io", "Ann");
    }

    @Test
    void textBeforeTheFirstColumnIsNotPartOfTheNumber() {
        BucketTarget target = StringTarget.of("v2{id}", "name").withBucket(BucketOptions.of(100));
        RowMapping mapping = target.bind(Rows.columns("id", "name"));

        assertThat(arguments(mapping, Rows.row(345, "Ada"))).containsExactly("HSET", "v2{3}:100", "45", "Ada");
    }

    @Test
    void keyWithoutANumberRejectsItsRow() {
        RowMapping mapping = TARGET.withBucket(BucketOptions.of(1_000)).bind(Rows.columns("id", "name"));

        assertThat(mapping.prepare(Rows.row("ann", "Ann")))
                .contains(new Rejection(
                        Rejection.Reason.KEY_NOT_NUMBERED,
                        "the key has no bucket: key=user:{id} (the key does not end in a decimal number);"
                                + " with pairs=COUNT, every key has a bucket"));
        assertThat(new String(mapping.key(), 0, mapping.keyLength(), UTF_8)).isEqualTo("user:ann");
        assertThat(mapping.prepare(Rows.row("007", "James")).orElseThrow().message())
                .contains("the number in the key begins with a zero");
        assertThat(mapping.prepare(Rows.row(7, "Ada"))).isEmpty();
    }

    @Test
    void nullInKeyOrValueRejectsTheRow() {
        RowMapping mapping = TARGET.withBucket(BucketOptions.of(1_000)).bind(Rows.columns("id", "name"));

        assertThat(mapping.prepare(Rows.row(Rows.NULL, "Ada")).orElseThrow().reason())
                .isEqualTo(Rejection.Reason.KEY_EMPTY);
        assertThat(mapping.keyLength()).isZero();
        assertThat(mapping.prepare(Rows.row("", "Ada")).orElseThrow().reason()).isEqualTo(Rejection.Reason.KEY_EMPTY);
        assertThat(mapping.prepare(Rows.row(7, Rows.NULL)).orElseThrow().reason())
                .isEqualTo(Rejection.Reason.NO_VALUE);
    }

    @Test
    void placesOfTwoPairsInOneBucketDiffer() {
        RowMapping mapping = TARGET.withBucket(BucketOptions.of(100)).bind(Rows.columns("id", "name"));

        assertThat(place(mapping, Rows.row(7, "Ada")))
                .isNotEqualTo(place(mapping, Rows.row(8, "Ada")))
                .isEqualTo(place(mapping, Rows.row(7, "Bob")));
    }

    @Test
    void longestPartIsTheFieldOrTheValueWhicheverIsLonger() {
        Target target = TARGET.withBucket(BucketOptions.of(100).withPairs(100));
        RowMapping mapping = target.bind(Rows.columns("id", "name"));

        assertThat(longest(mapping, Rows.row("ann@example.org", "Ann"))).isEqualTo(15);
        assertThat(longest(mapping, Rows.row("a", "Ann"))).isEqualTo(3);
    }

    private static int longest(RowMapping mapping, Row row) {
        arguments(mapping, row);
        return mapping.longestFieldOrValue();
    }

    private static String place(RowMapping mapping, Row row) {
        assertThat(mapping.prepare(row)).isEmpty();
        return new String(mapping.key(), 0, mapping.keyAndFieldLength(), UTF_8);
    }

    private static List<String> arguments(RowMapping mapping, Row row) {
        assertThat(mapping.prepare(row)).isEmpty();
        List<String> arguments = new ArrayList<>();
        arguments.add(mapping.command().name());
        mapping.write(row, new ArgumentSink() {
            @Override
            public ArgumentSink arg(byte[] bytes, int offset, int length) {
                arguments.add(new String(bytes, offset, length, UTF_8));
                return this;
            }
        });
        return arguments;
    }
}
