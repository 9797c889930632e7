// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class GeoTest {

    private static final GeoPosition BERLIN = new GeoPosition(13.404954, 52.520008);
    private static final GeoPosition HAMBURG = new GeoPosition(9.993682, 53.551086);
    private static final GeoPosition MUNICH = new GeoPosition(11.581981, 48.135125);

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    GeoTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void positionsOfMembersAndDistancesBetweenMembersAreReturned() {
        assertThat(redis.run(Geo.add("g", BERLIN, "berlin"))).isEqualTo(1);
        assertThat(redis.run(Geo.add("g", Map.of("hamburg", HAMBURG, "munich", MUNICH))))
                .isEqualTo(2);

        List<Optional<GeoPosition>> positions = redis.run(Geo.positions("g", "munich", "none"));

        assertThat(positions).hasSize(2);
        assertNear(positions.getFirst().orElseThrow(), MUNICH);
        assertThat(positions.getLast()).isEmpty();
        assertThat(redis.run(Geo.distance("g", "berlin", "hamburg")))
                .hasValueSatisfying(metres -> assertThat(metres).isBetween(255_000.0, 256_000.0));
        assertThat(redis.run(Geo.distance("g", "berlin", "none"))).isEmpty();
    }

    @Test
    void searchReturnsTheNearestMemberFirst() {
        redis.run(Geo.add("g", Map.of("berlin", BERLIN, "hamburg", HAMBURG, "munich", MUNICH)));

        assertThat(found(GeoSearch.circle("berlin", 300_000))).containsExactly("berlin", "hamburg");
        assertThat(found(GeoSearch.circle(MUNICH, 700_000).farthestFirst()))
                .containsExactly("hamburg", "berlin", "munich");
        assertThat(found(GeoSearch.circle(MUNICH, 700_000).limit(2))).containsExactly("munich", "berlin");
        assertThat(found(GeoSearch.box(BERLIN, 600_000, 300_000))).containsExactly("berlin", "hamburg");
        assertThat(found(GeoSearch.box("munich", 100, 100))).containsExactly("munich");
        GeoMatch<String> hamburg =
                redis.run(Geo.search("g", GeoSearch.circle("berlin", 300_000))).getLast();
        assertThat(hamburg.metres()).isBetween(255_000.0, 256_000.0);
        assertNear(hamburg.position(), HAMBURG);
    }

    @Test
    void extremePositionsAreAccepted() {
        redis.run(Geo.add("g", new GeoPosition(180, 85.05112878), "ne"));
        redis.run(Geo.add("g", new GeoPosition(-180, -85.05112878), "sw"));

        assertThat(redis.run(Geo.positions("g", "ne", "sw")))
                .allSatisfy(position -> assertThat(position).isPresent());
    }

    @Test
    void matchesAreStoredAndGeohashesAreRead() {
        redis.run(Geo.add("g", new GeoPosition(13.361389, 38.115556), "Palermo"));
        redis.run(Geo.add("g", new GeoPosition(15.087269, 37.502669), "Catania"));

        assertThat(redis.run(Geo.storeSearch("near", "g", GeoSearch.circle("Palermo", 1_000))))
                .isEqualTo(1);
        assertThat(redis.run(SortedSets.range("near", SortedRange.ofRanks(0, -1))))
                .containsExactly("Palermo");
        assertThat(redis.run(Geo.hashes("g", "Palermo", "none")))
                .containsExactly(Optional.of("sqc8b49rny0"), Optional.empty());
    }

    private List<String> found(GeoSearch search) {
        return redis.run(Geo.search("g", search)).stream().map(GeoMatch::member).toList();
    }

    private static void assertNear(GeoPosition actual, GeoPosition expected) {
        assertThat(actual.longitude()).isCloseTo(expected.longitude(), Offset.offset(1e-5));
        assertThat(actual.latitude()).isCloseTo(expected.latitude(), Offset.offset(1e-5));
    }
}
