// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MemoryForecastTest {

    private static final int ROWS = 1_000_000;
    private static final int FREE_BYTES = 100_000_000;
    private static final ServerFacts MEMORY =
            ServerFacts.parsed("maxmemory:" + FREE_BYTES + "\r\nused_memory:0\r\nmaxmemory_policy:noeviction\r\n");

    /** Targets that store the long column, so that a row needs about 1,000 bytes. */
    static Stream<Target> large() {
        Duration hour = Duration.ofHours(1);
        return Stream.of(
                HashTarget.of("k:{id}"),
                HashTarget.of("k:{id}").withTtl(hour),
                HashFieldTarget.of("k", "{id}").withTtl(hour),
                ListTarget.of("k"));
    }

    @ParameterizedTest
    @MethodSource("large")
    void rowsThatDoNotFitAreNamed(Target target) {
        assertThat(warning(target).orElseThrow())
                .contains("rows will be refused (OOM)", "maxmemory-policy=noeviction", "rows=about 1,000,000");
    }

    /** Targets that store only the short column, so that a row needs fewer than 100 bytes besides its overhead. */
    static Stream<Target> small() {
        return Stream.of(
                StringTarget.of("k:{id}", "id"),
                HashTarget.of("k:{id}").withFields("id"),
                ListTarget.of("k").withValue("id").withTtl(Duration.ofHours(1)),
                BitmapTarget.of("k", "id"));
    }

    @ParameterizedTest
    @MethodSource("small")
    void columnsThatAreNotWrittenNeedNoMemory(Target target) {
        assertThat(warning(target)).isEmpty();
    }

    @Test
    void serverWithoutALimitNeedsNoSample() {
        MemoryForecast forecast = new MemoryForecast(ServerFacts.parsed("maxmemory:0\r\n"), HashTarget.of("k:{id}"));

        assertThat(forecast.needsRows()).isFalse();
    }

    @Test
    void fieldNamesOfAStreamAreCountedOnceForManyEntries() {
        String longName = "x".repeat(1_000);
        StreamTarget stream = StreamTarget.of("k").withFields(longName);

        assertThat(warning(stream, longName)).isEmpty();
        assertThat(warning(stream.withTtl(Duration.ofHours(1)), longName)).isEmpty();
        assertThat(warning(shadow(stream), longName)).isEmpty();
        assertThat(warning(HashTarget.of("k:{text}").withFields(longName), longName))
                .isPresent();
    }

    @Test
    void bitmapThatReplacesAnEarlierBitmapHasNoForecast() {
        MemoryForecast forecast = new MemoryForecast(MEMORY, shadow(BitmapTarget.of("k", "id")));

        assertThat(forecast.needsRows()).isFalse();
        assertThat(warning(shadow(HashTarget.of("k:{id}")))).isPresent();
    }

    private static Target shadow(Target target) {
        return new ShadowTarget(target, JobKeys.ofNewRun("job"));
    }

    private static Optional<String> warning(Target target) {
        return warning(target, "id");
    }

    private static Optional<String> warning(Target target, String firstColumn) {
        MemoryForecast forecast = new MemoryForecast(MEMORY, target);
        RowMapping mapping = target.bind(List.of(new Column(firstColumn), new Column("text")));
        for (int id = 0; id < 100; id++) {
            Row row = new Row();
            row.clear(id + 1, 0);
            row.add(100_000 + id);
            row.add(Row.Kind.TEXT, "x".repeat(1_000));
            assertThat(mapping.prepare(row)).isEmpty();
            forecast.add(mapping, row);
        }
        return forecast.warning(OptionalLong.of(ROWS), OptionalDouble.empty());
    }
}
