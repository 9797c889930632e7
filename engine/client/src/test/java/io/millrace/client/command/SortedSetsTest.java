// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class SortedSetsTest {

    private static final double INFINITE = Double.POSITIVE_INFINITY;

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    SortedSetsTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void membersHaveScoresAndRanks() {
        assertThat(redis.run(SortedSets.add("z", 1.5, "a"))).isEqualTo(1);
        assertThat(redis.run(SortedSets.add("z", Map.of("a", 0.1, "b", -INFINITE, "c", INFINITE))))
                .isEqualTo(2);
        assertThat(redis.run(SortedSets.score("z", "a"))).hasValue(0.1);
        assertThat(redis.run(SortedSets.score("z", "b"))).hasValue(-INFINITE);
        assertThat(redis.run(SortedSets.score("z", "c"))).hasValue(INFINITE);
        assertThat(redis.run(SortedSets.score("z", "none"))).isEmpty();
        assertThat(redis.run(SortedSets.rank("z", "a"))).hasValue(1L);
        assertThat(redis.run(SortedSets.rank("z", "none"))).isEmpty();
        assertThat(redis.run(SortedSets.size("z"))).isEqualTo(3);
        assertThat(redis.run(SortedSets.increment("z", 1e300, "a"))).isEqualTo(1e300);
        assertThat(redis.run(SortedSets.remove("z", "a", "none"))).isEqualTo(1);
    }

    @Test
    void addChangesOnlyScoresThatMeetTheScoreCondition() {
        redis.run(SortedSets.add("z", Map.of("a", 1.0, "b", 2.0)));

        assertThat(redis.run(SortedSets.add("z", SortedSets.ScoreCondition.IF_ABSENT, Map.of("a", 5.0, "c", 3.0))))
                .isEqualTo(1);
        assertThat(redis.run(SortedSets.add("z", SortedSets.ScoreCondition.IF_PRESENT, Map.of("a", 5.0, "d", 4.0))))
                .isEqualTo(1);
        assertThat(redis.run(SortedSets.add("z", SortedSets.ScoreCondition.IF_GREATER, Map.of("a", 4.0, "b", 6.0))))
                .isEqualTo(1);
        assertThat(redis.run(SortedSets.add("z", SortedSets.ScoreCondition.IF_LESS, Map.of("a", 4.5, "b", 7.0))))
                .isEqualTo(1);
        assertThat(redis.run(SortedSets.rangeWithScores("z", SortedRange.ofRanks(0, -1))))
                .containsExactly(scored("c", 3), scored("a", 4.5), scored("b", 6));
    }

    @Test
    void rangesAreReadByRankOrScoreInEitherDirection() {
        redis.run(SortedSets.add("z", Map.of("a", 1.0, "b", 2.0, "c", 3.0, "d", INFINITE)));

        assertThat(range(SortedRange.ofRanks(0, 1))).containsExactly("a", "b");
        assertThat(range(SortedRange.ofRanks(0, 1).reversed())).containsExactly("d", "c");
        assertThat(range(SortedRange.ofScores(ScoreRange.closed(2, 3)))).containsExactly("b", "c");
        assertThat(range(SortedRange.ofScores(ScoreRange.closedOpen(1, 3)))).containsExactly("a", "b");
        assertThat(range(SortedRange.ofScores(ScoreRange.openClosed(1, INFINITE))))
                .containsExactly("b", "c", "d");
        assertThat(range(SortedRange.ofScores(ScoreRange.open(1, INFINITE)).reversed()))
                .containsExactly("c", "b");
        assertThat(range(SortedRange.ofScores(ScoreRange.ALL).limit(1, 2))).containsExactly("b", "c");
        assertThat(range(SortedRange.ofScores(ScoreRange.closed(3, 2)))).isEmpty();
        assertThat(redis.run(SortedSets.rangeWithScores(
                        "z", SortedRange.ofScores(ScoreRange.ALL).reversed().limit(0, 2))))
                .containsExactly(scored("d", INFINITE), scored("c", 3));
        assertThat(redis.run(SortedSets.count("z", ScoreRange.open(1, INFINITE))))
                .isEqualTo(2);
        assertThat(redis.run(SortedSets.count("z", ScoreRange.ALL))).isEqualTo(4);
    }

    @Test
    void membersWithTheLowestScoresArePopped() {
        redis.run(SortedSets.add("z", Map.of("a", 1.5, "b", 2.0, "c", 3.0)));

        assertThat(redis.run(Command.of(SortedSets.ZPOPMIN, "z"))).containsExactly(scored("a", 1.5));
        assertThat(redis.run(SortedSets.popMin("z", 1))).containsExactly(scored("b", 2));
        assertThat(redis.run(SortedSets.awaitMin(Duration.ofDays(1), "none", "z")))
                .hasValue(new PopResult<>("z", scored("c", 3)));
        assertThat(redis.run(SortedSets.awaitMin(Duration.ofMillis(1), "z"))).isEmpty();
        assertThat(redis.run(SortedSets.popMin("z", 1))).isEmpty();
    }

    @Test
    void scanFindsEveryMember() {
        Map<String, Double> scores = new HashMap<>();
        for (int i = 0; i < 1_000; i++) {
            scores.put("m" + i, i / 8.0);
        }
        redis.run(SortedSets.add("z", scores));

        Map<String, Double> found = new HashMap<>();
        String cursor = ScanPage.START;
        do {
            ScanPage<List<ScoredMember<String>>> page =
                    redis.run(SortedSets.scan("z", cursor, ScanOptions.DEFAULT.withCount(50)));
            page.found().forEach(scored -> found.put(scored.member(), scored.score()));
            cursor = page.cursor();
        } while (!cursor.equals(ScanPage.START));

        assertThat(found).isEqualTo(scores);
    }

    @Test
    void scoreIsIncrementedOnlyIfTheSumMeetsTheCondition() {
        redis.run(SortedSets.add("z", 5, "a"));

        assertThat(redis.run(SortedSets.incrementIf("z", SortedSets.ScoreCondition.IF_GREATER, 2, "a")))
                .hasValue(7.0);
        assertThat(redis.run(SortedSets.incrementIf("z", SortedSets.ScoreCondition.IF_GREATER, -2, "a")))
                .isEmpty();
        assertThat(redis.run(SortedSets.incrementIf("z", SortedSets.ScoreCondition.IF_PRESENT, 1, "none")))
                .isEmpty();
        assertThat(redis.run(SortedSets.scores("z", "a", "none"))).containsExactly(Optional.of(7.0), Optional.empty());
    }

    @Test
    void membersWithTheHighestScoresAreRankedAndPopped() {
        redis.run(SortedSets.add("z", Map.of("a", 1.5, "b", 2.0, "c", INFINITE)));

        assertThat(redis.run(SortedSets.reverseRank("z", "a"))).hasValue(2L);
        assertThat(redis.run(SortedSets.reverseRank("z", "none"))).isEmpty();
        assertThat(redis.run(SortedSets.popMax("z", 2))).containsExactly(scored("c", INFINITE), scored("b", 2));
        assertThat(redis.run(SortedSets.awaitMax(Duration.ofDays(1), "none", "z")))
                .hasValue(new PopResult<>("z", scored("a", 1.5)));
        assertThat(redis.run(SortedSets.awaitMax(Duration.ofMillis(1), "z"))).isEmpty();
    }

    @Test
    void randomMembersAreReadWithTheirScores() {
        assertThat(redis.run(SortedSets.random("z"))).isEmpty();
        assertThat(redis.run(SortedSets.random("z", 1))).isEmpty();
        redis.run(SortedSets.add("z", Map.of("a", 1.0, "b", 2.0)));

        assertThat(redis.run(SortedSets.random("z")).orElseThrow()).isIn("a", "b");
        assertThat(redis.run(SortedSets.random("z", 9))).containsExactlyInAnyOrder(scored("a", 1), scored("b", 2));
    }

    @Test
    void rangeOfMembersIsReadInTheOrderOfTheirBytes() {
        redis.run(SortedSets.add("z", Map.of("a", 0.0, "b", 0.0, "c", 0.0)));

        assertThat(range(SortedRange.ofMembers(MemberRange.ALL))).containsExactly("a", "b", "c");
        assertThat(range(SortedRange.ofMembers(MemberRange.ALL.from("a", false))))
                .containsExactly("b", "c");
        assertThat(range(SortedRange.ofMembers(MemberRange.ALL.from("a", true).to("c", false))
                        .reversed()))
                .containsExactly("b", "a");
        assertThat(range(SortedRange.ofMembers(MemberRange.ALL.to("c", true)).limit(1, 1)))
                .containsExactly("b");
    }

    private List<String> range(SortedRange range) {
        return redis.run(SortedSets.range("z", range));
    }

    private static ScoredMember<String> scored(String member, double score) {
        return new ScoredMember<>(member, score);
    }
}
