// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class StreamGroupsTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    StreamGroupsTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    private static final Map<String, String> FIELDS = Map.of("f", "v");

    @BeforeEach
    void createGroup() {
        redis.run(Streams.createGroup("s", "g", "0"));
    }

    private void deliver(String... ids) {
        for (String id : ids) {
            redis.run(Streams.add("s", id, FIELDS));
        }
        redis.run(Streams.readGroup("g", "one", StreamRead.of("s", ">")));
    }

    @Test
    void pendingEntriesAreSummedAndListed() {
        assertThat(redis.run(StreamGroups.pending("s", "g"))).isEqualTo(new PendingSummary(0, "", "", Map.of()));
        deliver("1-1", "1-2");

        assertThat(redis.run(StreamGroups.pending("s", "g")))
                .isEqualTo(new PendingSummary(2, "1-1", "1-2", Map.of("one", 2L)));
        List<PendingEntry> entries = redis.run(StreamGroups.pending("s", "g", "1-2", "+", 9));
        assertThat(entries).hasSize(1);
        assertThat(entries.getFirst().id()).isEqualTo("1-2");
        assertThat(entries.getFirst().consumer()).isEqualTo("one");
        assertThat(entries.getFirst().deliveries()).isEqualTo(1);
        assertThat(entries.getFirst().idle()).isGreaterThanOrEqualTo(Duration.ZERO);
    }

    @Test
    void pendingEntriesAreClaimedByAnotherConsumer() {
        deliver("1-1", "1-2", "1-3");
        redis.run(Streams.delete("s", "1-3"));

        assertThat(redis.run(StreamGroups.claim("s", "g", "two", Duration.ofDays(1), "1-1")))
                .isEmpty();
        assertThat(redis.run(StreamGroups.claim("s", "g", "two", Duration.ZERO, "1-1")))
                .containsExactly(new StreamEntry<>("1-1", FIELDS));
        ClaimPage<String> first =
                redis.run(StreamGroups.claimIdle("s", "g", "three", Duration.ZERO, ClaimPage.LAST, 1));
        assertThat(first.claimed()).containsExactly(new StreamEntry<>("1-1", FIELDS));
        assertThat(first.last()).isFalse();
        ClaimPage<String> second = redis.run(StreamGroups.claimIdle("s", "g", "three", Duration.ZERO, first.next(), 9));
        assertThat(second)
                .isEqualTo(new ClaimPage<>(ClaimPage.LAST, List.of(new StreamEntry<>("1-2", FIELDS)), List.of("1-3")));
        assertThat(second.last()).isTrue();
    }

    @Test
    void consumersAndGroupsAreCreatedDescribedAndDeleted() {
        deliver("1-1");

        assertThat(redis.run(StreamGroups.createConsumer("s", "g", "two"))).isTrue();
        assertThat(redis.run(StreamGroups.createConsumer("s", "g", "two"))).isFalse();
        assertThat(redis.run(StreamGroups.consumerFacts("s", "g")))
                .extracting(facts -> Replies.text(fact(facts, "name")))
                .containsExactly("one", "two");
        assertThat(redis.run(StreamGroups.groupFacts("s")))
                .extracting(facts -> Replies.integer(fact(facts, "pending")))
                .containsExactly(1L);
        assertThat(Replies.integer(fact(redis.run(StreamGroups.streamFacts("s")), "length")))
                .isEqualTo(1);
        assertThat(redis.run(StreamGroups.deleteConsumer("s", "g", "one"))).isEqualTo(1);
        assertThat(redis.run(StreamGroups.setLastDelivered("s", "g", "0"))).isEqualTo("OK");
        assertThat(redis.run(Streams.readGroup("g", "two", StreamRead.of("s", ">"))))
                .hasSize(1);
        assertThat(redis.run(StreamGroups.delete("s", "g"))).isTrue();
        assertThat(redis.run(StreamGroups.delete("s", "g"))).isFalse();
    }

    private static Reply fact(Map<String, Reply> facts, String name) {
        return Objects.requireNonNull(facts.get(name), name);
    }
}
