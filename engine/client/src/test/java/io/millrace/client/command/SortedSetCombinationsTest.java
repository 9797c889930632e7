// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class SortedSetCombinationsTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    SortedSetCombinationsTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @BeforeEach
    void addMembers() {
        redis.run(SortedSets.add("y", Map.of("a", 1.0, "b", 2.0)));
        redis.run(SortedSets.add("z", Map.of("b", 10.0, "c", 20.0)));
    }

    @Test
    void combinationsAreReadWithTheirScores() {
        assertThat(redis.run(SortedSetCombinations.union("y", "z")))
                .containsExactly(scored("a", 1), scored("b", 12), scored("c", 20));
        assertThat(redis.run(SortedSetCombinations.intersection("y", "z"))).containsExactly(scored("b", 12));
        assertThat(redis.run(SortedSetCombinations.difference("y", "z"))).containsExactly(scored("a", 1));
        assertThat(redis.run(SortedSetCombinations.intersectionSize("y", "z"))).isEqualTo(1);
    }

    @Test
    void combinationsAreStored() {
        assertThat(redis.run(SortedSetCombinations.storeUnion("u", "y", "z"))).isEqualTo(3);
        assertThat(redis.run(SortedSetCombinations.storeIntersection("i", "y", "z")))
                .isEqualTo(1);
        assertThat(redis.run(SortedSetCombinations.storeDifference("d", "y", "z")))
                .isEqualTo(1);
        assertThat(redis.run(SortedSets.score("u", "b"))).hasValue(12.0);
        assertThat(redis.run(SortedSets.score("i", "b"))).hasValue(12.0);
        assertThat(redis.run(SortedSets.score("d", "a"))).hasValue(1.0);
    }

    @Test
    void scoresAreMultipliedByTheWeightsOfTheirKeys() {
        Map<String, Double> weights = new LinkedHashMap<>();
        weights.put("z", 0.5);
        weights.put("y", 3.0);

        redis.run(SortedSetCombinations.storeUnion("u", Aggregate.MAX, weights));
        redis.run(SortedSetCombinations.storeIntersection("i", Aggregate.MIN, weights));

        assertThat(redis.run(SortedSets.scores("u", "a", "b", "c")))
                .containsExactly(Optional.of(3.0), Optional.of(6.0), Optional.of(10.0));
        assertThat(redis.run(SortedSets.scores("i", "b"))).containsExactly(Optional.of(5.0));
    }

    private static ScoredMember<String> scored(String member, double score) {
        return new ScoredMember<>(member, score);
    }
}
