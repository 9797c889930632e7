// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The commands that add elements to keys, without a server. */
class ElementMappingTest {

    @Test
    void elementIsAddedToItsKey() {
        var columns = Rows.columns("id", "day", "score");
        Row row = Rows.row(7, "mon", new BigDecimal("1.50"));
        StreamTarget stream = StreamTarget.of("s:{day}");

        assertThat(MappedArguments.of(ListTarget.of("l:{day}").withValue("id").bind(columns), row))
                .containsExactly("RPUSH", "l:mon", "7");
        assertThat(MappedArguments.of(
                        SetTarget.of("all").withValue("{day}-{id}").bind(columns), row))
                .containsExactly("SADD", "all", "mon-7");
        assertThat(MappedArguments.of(SetTarget.of("all").bind(columns), row))
                .containsExactly("SADD", "all", "{\"id\":7,\"day\":\"mon\",\"score\":1.50}");
        assertThat(MappedArguments.of(
                        SortedSetTarget.of("z:{day}", "score").withValue("id").bind(columns), row))
                .containsExactly("ZADD", "z:mon", "1.50", "7");
        assertThat(MappedArguments.of(stream.withFields("id", "score").bind(columns), row))
                .containsExactly("XADD", "s:mon", "*", "id", "7", "score", "1.50");
        assertThat(MappedArguments.of(BitmapTarget.of("b:{day}", "id").bind(columns), row))
                .containsExactly("SETBIT", "b:mon", "7", "1");
        assertThat(MappedArguments.of(JsonSetTarget.of("j:{id}").bind(columns), row))
                .containsExactly("JSON.SET", "j:7", "$", "{\"id\":7,\"day\":\"mon\",\"score\":1.50}");
    }

    @Test
    void elementWithAnExpiryIsAnArgumentOfTheScriptOfItsType() {
        var columns = Rows.columns("id", "day");
        Row row = Rows.row(7, "mon");
        Duration minute = Duration.ofMinutes(1);

        assertThat(MappedArguments.repeated(
                        ListTarget.of("l").withValue("id").withTtl(minute).bind(columns), row))
                .endsWith("1", "l", "60000", "1", "7");
        assertThat(MappedArguments.repeated(
                        SortedSetTarget.of("z", "id")
                                .withValue("day")
                                .withTtl(minute)
                                .bind(columns),
                        row))
                .endsWith("1", "z", "60000", "2", "7", "mon");
        assertThat(MappedArguments.repeated(
                        BitmapTarget.of("b", "id").withTtl(minute).bind(columns), row))
                .endsWith("1", "b", "60000", "1", "7");
        assertThat(MappedArguments.repeated(StreamTarget.of("s").withTtl(minute).bind(columns), row))
                .endsWith("1", "s", "60000", "-4", "id", "7", "day", "mon");
        assertThat(MappedArguments.repeated(
                        JsonSetTarget.of("j:{id}").withTtl(minute).bind(columns), row))
                .endsWith("1", "j:7", "60000", "-1", "{\"id\":7,\"day\":\"mon\"}");
    }

    @Test
    void scoreThatIsNotADecimalNumberRejectsTheRow() {
        RowMapping mapping = SortedSetTarget.of("z", "score").withValue("id").bind(Rows.columns("id", "score"));

        for (String score : List.of("0", "-1.5", "1e3", "0e0", "-0.0E9", "inf", "-inf", "12345678901234567890")) {
            assertThat(mapping.prepare(Rows.row(1, score))).as(score).isEmpty();
        }
        for (String score : List.of("", "nan", "1,5", "0x10", "1e400", "1e-400", "0.1e-400", "five", "1".repeat(129))) {
            assertThat(mapping.prepare(Rows.row(1, score)).orElseThrow().reason())
                    .as(score)
                    .isEqualTo(Rejection.Reason.NUMBER_INVALID);
        }
        assertThat(mapping.prepare(Rows.row(1, Rows.NULL)))
                .contains(new Rejection(Rejection.Reason.NUMBER_INVALID, "score is not a decimal number: score=NULL"));
    }

    @Test
    void entryWithAnExpiryAndTooManyColumnsForAScriptIsRefused() {
        String[] names =
                IntStream.rangeClosed(0, 3_900).mapToObj(column -> "c" + column).toArray(String[]::new);
        StreamTarget stream = StreamTarget.of("s");

        assertThat(stream.bind(Rows.columns(names)).fusion()).isEmpty();
        assertThatThrownBy(() -> stream.withTtl(Duration.ofMinutes(1)).bind(Rows.columns(names)))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("columns=3901, maximum=3900");
    }

    @Test
    void offsetThatIsNotAWholeNumberOf32BitsRejectsTheRow() {
        RowMapping mapping = BitmapTarget.of("b", "id").bind(Rows.columns("id"));

        assertThat(MappedArguments.of(mapping, Rows.row("007"))).containsExactly("SETBIT", "b", "7", "1");
        assertThat(MappedArguments.of(mapping, Rows.row("000"))).containsExactly("SETBIT", "b", "0", "1");
        assertThat(MappedArguments.of(mapping, Rows.row("4294967295")))
                .containsExactly("SETBIT", "b", "4294967295", "1");
        for (String offset : List.of("", "-1", "+1", "1.0", "4294967296", "99999999999999999999", "x")) {
            assertThat(mapping.prepare(Rows.row(offset)).orElseThrow().reason())
                    .as(offset)
                    .isEqualTo(Rejection.Reason.NUMBER_INVALID);
        }
    }
}
