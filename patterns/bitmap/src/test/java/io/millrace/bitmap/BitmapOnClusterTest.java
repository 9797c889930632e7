// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Activities whose keys have slots of different nodes of a cluster. All keys of an activity have one slot. */
class BitmapOnClusterTest {

    private static final LocalDate MONDAY = LocalDate.of(2026, 11, 2);

    private static EmbeddedCluster cluster;
    private static RedisClient client;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
        client = RedisClient.connect(RedisUri.parse(cluster.uri()));
    }

    @AfterAll
    static void closeCluster() {
        client.close();
        cluster.close();
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void marksAreCountedCombinedAndDeleted(Encoding encoding) {
        Span monday = Span.of(Granularity.DAY, MONDAY.atStartOfDay());
        List<Span> days = monday.consecutive(3);
        SetExpression both = SetExpression.active("login", days.get(0)).and(SetExpression.active("login", days.get(1)));
        for (String name : List.of("site", "a", "b", "c")) {
            Activity active = Activity.of(
                    client,
                    name,
                    ActivityOptions.keptForever().encoding(encoding).threads(2));

            assertThat(active.mark("login", 7, MONDAY)).isTrue();
            assertThat(active.mark("login", 7, MONDAY)).isFalse();
            active.mark(
                    "login",
                    LongStream.range(0, 1_000)
                            .mapToObj(id -> Mark.on(id, MONDAY))
                            .toList());
            active.mark(
                    "login",
                    LongStream.range(500, 300_000)
                            .filter(id -> id % 500 == 0)
                            .mapToObj(id -> Mark.on(id, MONDAY.plusDays(1)))
                            .toList());

            assertThat(active.count(SetExpression.active("login", monday))).isEqualTo(1_000);
            assertThat(active.count(both)).isEqualTo(1);
            assertThat(active.members(both).toArray()).containsExactly(500);
            assertThat(active.contains("login", monday, 999)).isTrue();
            assertThat(active.load(
                            "order",
                            LongStream.range(0, 50_000)
                                    .mapToObj(id -> Mark.on(id % 20_000 * 50, MONDAY))
                                    .iterator()))
                    .isEqualTo(new LoadCounts(50_000, 20_000, 0));
            assertThat(active.count(SetExpression.active("order", monday))).isEqualTo(20_000);
            assertThat(active.retention("login", days)).isNotNull();
            assertThat(active.cohorts("login", days)).isNotNull();
            assertThat(active.memoryBytes("login", monday)).isPositive();
            active.clear("login", monday);
            assertThat(active.count(both)).isZero();
            active.delete();
            assertThat(client.call(Server.size())).isZero();
        }
    }

    @Test
    void populationsAreStoredCountedAndDeleted() {
        Populations populations = Populations.of(client, PopulationOptions.DEFAULT);
        for (String name : List.of("jobs", "a", "b", "c")) {
            Population stored = populations.store(name, 10_000_000, BitSource.random(0.3, 7));

            Population found = populations.find(name).orElseThrow();
            assertThat(found.count()).isEqualTo(stored.count()).isBetween(2_990_000L, 3_010_000L);
            assertThat(found.count(0, 4_000_000) + found.count(4_000_000, 10_000_000))
                    .isEqualTo(found.count());
            assertThat(populations.delete(name)).isTrue();
        }
        assertThat(client.call(Server.size())).isZero();
    }
}
