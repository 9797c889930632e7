// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Hashes;
import io.millrace.client.Keys;
import io.millrace.client.Lists;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Strings;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the scripts of a list do when they are executed twice, late, or on a server that is full. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ListScriptsTest {

    private static final ListKeys KEYS = new ListKeys("feeds");
    private static final List<String> OF_MINE = List.of(KEYS.consumers(), KEYS.hands("me"), KEYS.again());

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private RedisClient client;

    @BeforeEach
    void connect() {
        client = REDIS.client();
    }

    @Test
    void takeThatIsAskedForAgainGivesTheSame() {
        client.call(Lists.pushLeft("feeds", "a", "b", "c"));

        List<String> first = take("one", 1, 2);
        List<String> repeated = take("one", 1, 2);
        List<String> second = take("one", 2, 2);
        List<String> late = take("one", 1, 2);

        assertThat(repeated).isEqualTo(first).hasSize(4);
        assertThat(second).hasSize(2);
        assertThat(late).isEmpty();
        assertThat(client.call(Lists.size("feeds"))).isZero();
    }

    @Test
    void takeThatIsAskedForAgainWhenItsTasksWereGivenToOthersGivesOthersAnotherId() {
        client.call(Lists.pushLeft("feeds", "a", "b"));
        String first = take("one", 1, 1).getFirst();
        client.call(Keys.delete(KEYS.hands("me"))); // as the others did

        String second = take("one", 1, 1).getFirst();

        assertThat(second).isNotEqualTo(first);
        assertThat(Kind.LIST.inHandsOf("me", client, "feeds"))
                .containsOnlyKeys(second)
                .containsValue("b");
    }

    @Test
    void handsOfOneWhoHasSpokenUpMeanwhileAreNotEmptied() {
        client.call(Lists.pushLeft("feeds", "a"));
        List<String> unused = take("one", 1, 1);

        Reply emptied = ListScripts.EMPTY_DEAD.run(client, OF_MINE, List.of("me"));

        assertThat(Replies.integer(emptied)).isZero();
        assertThat(Kind.LIST.inHandsOf("me", client, "feeds")).containsValue("a");
    }

    @Test
    void openingThatIsExecutedLateTakesNothingFromTheSameStart() {
        client.call(Lists.pushLeft("feeds", "a"));
        long opened = open("one");
        List<String> unused = take("one", 1, 1);

        long late = open("one");

        assertThat(opened).isOne();
        assertThat(late).isZero();
        assertThat(Kind.LIST.inHandsOf("me", client, "feeds")).containsValue("a");
    }

    @Test
    void predecessorOfTheSameNameTakesNothingAndLeavesItsSuccessorWhatItHas() {
        client.call(Lists.pushLeft("feeds", "a", "b"));
        open("one");
        List<String> unused = take("one", 1, 1);
        open("two");
        List<String> again = take("two", 1, 1);

        List<String> late = take("one", 2, 1);
        Reply left = ListScripts.LEAVE.run(client, OF_MINE, List.of("me", "one"));

        assertThat(again.getLast()).isEqualTo("2 a");
        assertThat(late).isEmpty();
        assertThat(Replies.integer(left)).isZero();
        assertThat(Kind.LIST.inHandsOf("me", client, "feeds")).containsValue("a");
    }

    @Test
    void returnOfAnEarlierDeliveryLeavesALaterOneInHand() {
        client.call(Lists.pushLeft("feeds", "a"));
        String id = take("one", 1, 1).getFirst();
        long first = giveBack(id, 1);
        List<String> again = take("one", 2, 1);

        long repeated = giveBack(id, 1);

        assertThat(first).isOne();
        assertThat(again).containsExactly(id, "2 a");
        assertThat(repeated).isZero();
        assertThat(client.call(Hashes.contains(KEYS.hands("me"), id))).isTrue();
        assertThat(giveBack(id, 2)).isOne();
    }

    @Test
    void taskThatCannotBePutAsideStaysInHand() {
        client.call(Lists.pushLeft("feeds", "a"));
        String id = take("one", 1, 1).getFirst();
        client.call(Strings.set(KEYS.dead(), "no list"));

        assertThatThrownBy(
                        () -> client.call(ListScripts.BURY.flag(List.of(KEYS.hands("me"), KEYS.dead()), List.of(id))))
                .hasMessageContaining("WRONGTYPE");

        assertThat(client.call(Hashes.contains(KEYS.hands("me"), id))).isTrue();
    }

    private long open(String start) {
        return Replies.integer(ListScripts.OPEN.run(client, OF_MINE, List.of("me", 60_000, start)));
    }

    private long giveBack(String id, int number) {
        return Replies.integer(ListScripts.RETURN.run(
                client, List.of(KEYS.hands("me"), "feeds", KEYS.again()), List.of(id, number, 0, 1)));
    }

    /** Ids, each followed by what is held of it. */
    private List<String> take(String start, int number, int most) {
        Reply reply = ListScripts.TAKE.run(
                client,
                List.of(KEYS.queue(), KEYS.again(), KEYS.consumers(), KEYS.hands("me"), KEYS.dead()),
                List.of("me", 60_000, number, most, 5, start));
        return new ArrayList<>(
                Replies.list(Replies::text).apply(Replies.items(reply).getFirst()));
    }
}
