// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class SortedSetRangesTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    SortedSetRangesTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void rangeIsStoredWithItsScores() {
        redis.run(SortedSets.add("z", Map.of("a", 1.0, "b", 2.0, "c", 3.0)));

        assertThat(redis.run(SortedSetRanges.store(
                        "top", "z", SortedRange.ofRanks(0, 1).reversed())))
                .isEqualTo(2);
        assertThat(redis.run(SortedSets.scores("top", "a", "b", "c")))
                .containsExactly(Optional.empty(), Optional.of(2.0), Optional.of(3.0));
    }

    @Test
    void rangesAreRemovedByRankScoreAndMember() {
        redis.run(SortedSets.add("z", Map.of("a", 1.0, "b", 2.0, "c", 3.0, "d", 4.0)));
        redis.run(SortedSets.add("m", Map.of("a", 0.0, "b", 0.0, "c", 0.0)));

        assertThat(redis.run(SortedSetRanges.removeRanks("z", 0, 0))).isEqualTo(1);
        assertThat(redis.run(SortedSetRanges.removeScores("z", ScoreRange.openClosed(2, 4))))
                .isEqualTo(2);
        assertThat(redis.run(SortedSets.range("z", SortedRange.ofRanks(0, -1)))).containsExactly("b");
        assertThat(redis.run(SortedSetRanges.countMembers("m", MemberRange.ALL.from("b", true))))
                .isEqualTo(2);
        assertThat(redis.run(SortedSetRanges.removeMembers("m", MemberRange.ALL.to("c", false))))
                .isEqualTo(2);
        assertThat(redis.run(SortedSets.size("m"))).isEqualTo(1);
    }
}
