// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Topic;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the wanted topics without a connection. */
class SubscribedTopicsTest {

    private static final Topic OLD = Topic.channel("old");
    private static final Topic NEW = Topic.channel("new");

    private final SubscribedTopics topics = new SubscribedTopics(Set.of(OLD));

    @Test
    void onlyChangedTopicsAreReturnedOnce() {
        topics.all();
        topics.change(Set.of(NEW), true);

        SubscribedTopics.Wanted first = topics.changes(Set.of(OLD));
        SubscribedTopics.Wanted second = topics.changes(Set.of(OLD, NEW));

        assertThat(first).isEqualTo(new SubscribedTopics.Wanted(1, Map.of(NEW, true)));
        assertThat(second).isEqualTo(new SubscribedTopics.Wanted(1, Map.of()));
    }

    @Test
    void changesOfManyTopicsNeedNoMemoryForEachTopic() {
        topics.all();
        for (int i = 0; i < 10 * SubscribedTopics.MAX_CHANGED; i++) {
            Set<Topic> passing = Set.of(Topic.channel("passing " + i));
            topics.forget(topics.change(passing, true));
            topics.forget(topics.change(passing, false));
        }
        topics.forget(topics.change(Set.of(OLD), false));
        topics.forget(topics.change(Set.of(NEW), true));

        SubscribedTopics.Wanted changes = topics.changes(Set.of(OLD));

        assertThat(changes.topics()).containsEntry(OLD, false).containsEntry(NEW, true);
        assertThat(changes.topics()).hasSizeLessThanOrEqualTo(SubscribedTopics.MAX_CHANGED);
        assertThat(topics.changes(Set.of(NEW)).topics()).isEmpty();
    }

    @Test
    void confirmationEndsOnlyCallsUpToItsVersion() {
        SubscribedTopics.Change first = topics.change(Set.of(NEW), true);
        SubscribedTopics.Change second = topics.change(Set.of(OLD), false);

        topics.confirmed(first.version());
        List<Boolean> afterFirst = List.of(first.done().isDone(), second.done().isDone());
        topics.confirmed(second.version());

        assertThat(afterFirst).containsExactly(true, false);
        assertThat(second.done()).isCompleted();
    }

    @Test
    void topicThatTheServerDoesNotServeIsConfirmedLater() {
        topics.all();
        SubscribedTopics.Change change = topics.change(Set.of(NEW), true);
        topics.changes(Set.of(OLD));

        boolean first = topics.unserved(NEW);
        topics.confirmed(topics.version());
        boolean tooEarly = change.done().isDone();
        boolean again = topics.again();
        SubscribedTopics.Wanted asked = topics.changes(Set.of(OLD));
        topics.confirmed(asked.version());

        assertThat(first).isTrue();
        assertThat(tooEarly).isFalse();
        assertThat(again).isTrue();
        assertThat(asked.topics()).isEqualTo(Map.of(NEW, true));
        assertThat(change.done()).isCompleted();
        assertThat(topics.again()).isFalse();
    }

    @Test
    void topicThatIsNotWantedAnyMoreIsNotUnserved() {
        topics.forget(topics.change(Set.of(NEW), true));
        topics.unserved(NEW);

        topics.forget(topics.change(Set.of(NEW), false));

        assertThat(topics.hasUnserved()).isFalse();
        assertThat(topics.unserved(NEW)).isFalse();
    }

    @Test
    void takenTopicsEndTheirCallsAndKeepWhetherTheyAreProven() {
        topics.all();
        SubscribedTopics.Change change = topics.change(Set.of(NEW), true);
        SubscribedTopics.Change other = topics.change(Set.of(Topic.channel("other")), true);

        SubscribedTopics.Taken taken = topics.take(topic -> !topic.text().equals("other"));

        assertThat(taken).isEqualTo(new SubscribedTopics.Taken(Map.of(OLD, true, NEW, false), true));
        assertThat(change.done()).isCompleted();
        assertThat(other.done()).isNotDone();
        assertThat(topics.wanted()).containsExactly(Topic.channel("other"));
        assertThat(topics.changes(Set.of(OLD)).topics()).containsEntry(OLD, false);
    }

    @Test
    void takenTopicsThatTheServerHasEndedWereNotServed() {
        topics.unserved(OLD);

        assertThat(topics.take(OLD::equals).served()).isFalse();
    }
}
