// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class SetsTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    SetsTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void membersAreAddedFoundAndRemoved() {
        assertThat(redis.run(Sets.add("s", "a", "b", "a"))).isEqualTo(2);
        assertThat(redis.run(Sets.contains("s", "a"))).isTrue();
        assertThat(redis.run(Sets.contains("s", "none"))).isFalse();
        assertThat(redis.run(Sets.containsEach("s", "none", "b"))).containsExactly(false, true);
        assertThat(redis.run(Sets.members("s"))).containsExactlyInAnyOrder("a", "b");
        assertThat(redis.run(Sets.members("none"))).isEmpty();
        assertThat(redis.run(Sets.size("s"))).isEqualTo(2);
        assertThat(redis.run(Sets.remove("s", "a", "none"))).isEqualTo(1);
    }

    @Test
    void popReturnsRandomMembers() {
        redis.run(Sets.add("s", "a", "b", "c"));

        String first = redis.run(Sets.pop("s")).orElseThrow();
        Set<String> others = redis.run(Sets.pop("s", 5));

        Set<String> all = new HashSet<>(others);
        all.add(first);
        assertThat(others).hasSize(2);
        assertThat(all).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(redis.run(Sets.pop("s"))).isEmpty();
        assertThat(redis.run(Sets.pop("s", 5))).isEmpty();
    }

    @Test
    void setsAreCombinedByIntersectionUnionAndDifference() {
        redis.run(Sets.add("s", "a", "b", "c"));
        redis.run(Sets.add("t", "b", "c", "d"));

        assertThat(redis.run(Sets.intersection("s", "t"))).containsExactlyInAnyOrder("b", "c");
        assertThat(redis.run(Sets.union("s", "t"))).containsExactlyInAnyOrder("a", "b", "c", "d");
        assertThat(redis.run(Sets.difference("s", "t"))).containsExactly("a");
    }

    @Test
    void scanFindsEveryMember() {
        String[] members = IntStream.range(0, 1_000).mapToObj(i -> "m" + i).toArray(String[]::new);
        redis.run(Sets.add("s", members));

        Set<String> found = new HashSet<>();
        String cursor = ScanPage.START;
        do {
            ScanPage<List<String>> page = redis.run(Sets.scan("s", cursor, ScanOptions.DEFAULT.withCount(50)));
            found.addAll(page.found());
            cursor = page.cursor();
        } while (!cursor.equals(ScanPage.START));

        assertThat(found).containsExactlyInAnyOrder(members);
    }

    @Test
    void memberIsMovedOnlyIfItIsInTheSource() {
        redis.run(Sets.add("s", "a"));

        assertThat(redis.run(Sets.move("s", "t", "a"))).isTrue();
        assertThat(redis.run(Sets.move("s", "t", "a"))).isFalse();
        assertThat(redis.run(Sets.members("t"))).containsExactly("a");
    }

    @Test
    void randomMembersAreReadWithoutRemoval() {
        assertThat(redis.run(Sets.random("s"))).isEmpty();
        redis.run(Sets.add("s", "a", "b"));

        assertThat(redis.run(Sets.random("s")).orElseThrow()).isIn("a", "b");
        assertThat(redis.run(Sets.random("s", 9))).containsExactlyInAnyOrder("a", "b");
        assertThat(redis.run(Sets.size("s"))).isEqualTo(2);
    }

    @Test
    void combinedSetsAreStoredAndCounted() {
        redis.run(Sets.add("s", "a", "b", "c"));
        redis.run(Sets.add("t", "b", "c", "d"));

        assertThat(redis.run(Sets.intersectionSize("s", "t"))).isEqualTo(2);
        assertThat(redis.run(Sets.intersectionSize(1, "s", "t"))).isEqualTo(1);
        assertThat(redis.run(Sets.storeIntersection("i", "s", "t"))).isEqualTo(2);
        assertThat(redis.run(Sets.storeUnion("u", "s", "t"))).isEqualTo(4);
        assertThat(redis.run(Sets.storeDifference("d", "s", "t"))).isEqualTo(1);
        assertThat(redis.run(Sets.members("i"))).containsExactlyInAnyOrder("b", "c");
        assertThat(redis.run(Sets.members("u"))).containsExactlyInAnyOrder("a", "b", "c", "d");
        assertThat(redis.run(Sets.members("d"))).containsExactly("a");
    }
}
