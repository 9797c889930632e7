// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class PopsTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    PopsTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void elementsOfTheFirstNonEmptyListArePopped() {
        redis.run(Lists.pushRight("l", "a", "b", "c", "d"));

        assertThat(redis.run(Pops.lists(ListEnd.RIGHT, 2, "none", "l")))
                .hasValue(new PopResult<>("l", List.of("d", "c")));
        assertThat(redis.run(Pops.awaitLists(Duration.ofDays(1), ListEnd.LEFT, 9, "none", "l")))
                .hasValue(new PopResult<>("l", List.of("a", "b")));
        assertThat(redis.run(Pops.lists(ListEnd.LEFT, 1, "l"))).isEmpty();
        assertThat(redis.run(Pops.awaitLists(Duration.ofMillis(1), ListEnd.LEFT, 1, "l")))
                .isEmpty();
    }

    @Test
    void membersOfTheFirstNonEmptySortedSetArePopped() {
        redis.run(SortedSets.add("z", Map.of("a", 1.0, "b", 2.0, "c", 3.0)));

        assertThat(redis.run(Pops.sortedSets(ScoreEnd.MAX, 2, "none", "z")))
                .hasValue(new PopResult<>("z", List.of(new ScoredMember<>("c", 3), new ScoredMember<>("b", 2))));
        assertThat(redis.run(Pops.awaitSortedSets(Duration.ofDays(1), ScoreEnd.MIN, 9, "none", "z")))
                .hasValue(new PopResult<>("z", List.of(new ScoredMember<>("a", 1))));
        assertThat(redis.run(Pops.sortedSets(ScoreEnd.MIN, 1, "z"))).isEmpty();
        assertThat(redis.run(Pops.awaitSortedSets(Duration.ofMillis(1), ScoreEnd.MIN, 1, "z")))
                .isEmpty();
    }
}
