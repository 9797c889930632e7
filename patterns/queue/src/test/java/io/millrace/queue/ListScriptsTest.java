// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Strings;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the Lua scripts of list queues. The tests run a script a second time, or after its caller has given up. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ListScriptsTest {

    private static final ListKeys KEYS = new ListKeys("feeds");
    private static final List<String> MY_KEYS = List.of(KEYS.consumers(), KEYS.pendingOf("me"), KEYS.redeliveries());

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private RedisClient client;

    @BeforeEach
    void connect() {
        client = REDIS.client();
    }

    @Test
    void repeatedTakeScriptReturnsTheSameTasks() {
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
    void repeatedTakeScriptUsesNewIdsIfAnotherConsumerHasTakenOverTheTasks() {
        client.call(Lists.pushLeft("feeds", "a", "b"));
        String first = take("one", 1, 1).getFirst();
        client.call(Keys.delete(KEYS.pendingOf("me"))); // as if another consumer had taken over the task

        String second = take("one", 1, 1).getFirst();

        assertThat(second).isNotEqualTo(first);
        assertThat(QueueKind.LIST.pendingOf("me", client, "feeds"))
                .containsOnlyKeys(second)
                .containsValue("b");
    }

    @Test
    void pendingTasksOfAConsumerThatRenewedItsLeaseStayPending() {
        client.call(Lists.pushLeft("feeds", "a"));
        List<String> unused = take("one", 1, 1);

        Reply emptied = client.call(Scripts.run(ListScripts.RELEASE_EXPIRED, MY_KEYS, List.of("me")));

        assertThat(Replies.integer(emptied)).isZero();
        assertThat(QueueKind.LIST.pendingOf("me", client, "feeds")).containsValue("a");
    }

    @Test
    void registeringTheSameConsumerStartTwiceKeepsItsTasksPending() {
        client.call(Lists.pushLeft("feeds", "a"));
        long opened = open("one");
        List<String> unused = take("one", 1, 1);

        long late = open("one");

        assertThat(opened).isOne();
        assertThat(late).isZero();
        assertThat(QueueKind.LIST.pendingOf("me", client, "feeds")).containsValue("a");
    }

    @Test
    void oldConsumerNeitherTakesNorReleasesTasksOfANewConsumerOfTheSameName() {
        client.call(Lists.pushLeft("feeds", "a", "b"));
        open("one");
        List<String> unused = take("one", 1, 1);
        open("two");
        List<String> again = take("two", 1, 1);

        List<String> late = take("one", 2, 1);
        Reply left = client.call(Scripts.run(ListScripts.LEAVE, MY_KEYS, List.of("me", "one")));

        assertThat(again.getLast()).isEqualTo("2 a");
        assertThat(late).isEmpty();
        assertThat(Replies.integer(left)).isZero();
        assertThat(QueueKind.LIST.pendingOf("me", client, "feeds")).containsValue("a");
    }

    @Test
    void returningAnEarlierDeliveryKeepsTheLaterDeliveryPending() {
        client.call(Lists.pushLeft("feeds", "a"));
        String id = take("one", 1, 1).getFirst();
        long first = release(id, 1);
        List<String> again = take("one", 2, 1);

        long repeated = release(id, 1);

        assertThat(first).isOne();
        assertThat(again).containsExactly(id, "2 a");
        assertThat(repeated).isZero();
        assertThat(client.call(Hashes.contains(KEYS.pendingOf("me"), id))).isTrue();
        assertThat(release(id, 2)).isOne();
    }

    @Test
    void taskThatCannotBeDeadLetteredStaysPending() {
        client.call(Lists.pushLeft("feeds", "a"));
        String id = take("one", 1, 1).getFirst();
        client.call(Strings.set(KEYS.dead(), "not a list"));

        assertThatThrownBy(() -> client.call(
                        Scripts.eval(ListScripts.DEAD_LETTER, List.of(KEYS.pendingOf("me"), KEYS.dead()), List.of(id))))
                .hasMessageContaining("WRONGTYPE");

        assertThat(client.call(Hashes.contains(KEYS.pendingOf("me"), id))).isTrue();
    }

    private long open(String start) {
        return client.call(Scripts.run(ListScripts.OPEN, MY_KEYS, List.of("me", 60_000, start))
                .as(Replies::integer));
    }

    private long release(String id, int number) {
        return client.call(Scripts.run(
                        ListScripts.RETURN,
                        List.of(KEYS.pendingOf("me"), "feeds", KEYS.redeliveries()),
                        List.of(id, number, 0, 1))
                .as(Replies::integer));
    }

    /** Takes tasks. Returns the ids, each followed by the value of its hash field. */
    private List<String> take(String start, int number, int max) {
        Reply reply = client.call(Scripts.run(
                ListScripts.TAKE,
                List.of(KEYS.queue(), KEYS.redeliveries(), KEYS.consumers(), KEYS.pendingOf("me"), KEYS.dead()),
                List.of("me", 60_000, number, max, 5, start)));
        return new ArrayList<>(
                Replies.list(Replies::text).apply(Replies.items(reply).getFirst()));
    }
}
