// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many keys at once, and a server that does not answer. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SilentServerTest {

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private final EntryFormat<String> format = new EntryFormat<>("texts", Codec.text());

    private Store<String> store(RedisClient client, Duration timeout, Tally tally) {
        return new Store<>(client, "texts", format, timeout, tally);
    }

    @Test
    void whatIsAskedForInVainIsAskedForOnce() {
        Tally tally = new Tally();
        Store<String> store = store(REDIS.client(), Duration.ofMillis(300), tally);
        List<String> keys =
                IntStream.range(0, 400_000).mapToObj(key -> "key" + key).toList();

        List<Entry<String>> entries;
        REDIS.server().pause();
        try {
            entries = store.readAll(keys, () -> Duration.ofSeconds(60).toNanos());
        } finally {
            REDIS.server().resume();
        }

        assertThat(entries).hasSize(keys.size()).containsOnly(Entry.unreachable());
        assertThat(tally.errors.sum()).isEqualTo(1);
    }

    @Test
    void whoseTimeIsOverAsksForNothing() {
        RedisClient client = REDIS.client();
        Store<String> store = store(client, Duration.ofSeconds(1), new Tally());

        assertThat(store.readAll(List.of("key"), () -> 0)).containsOnly(Entry.unreachable());
        assertThat(Redis.calls(client, "mget")).isZero();
    }

    @Test
    void aDeadlineThatPassesWhileRedisIsAskedForManyLoadsNothing() {
        Cache<String> cache = REDIS.cache(
                CacheOptions.builder().deadline(Duration.ofMillis(200)).redisTimeout(Duration.ofMillis(200)));

        REDIS.server().pause();
        try {
            assertThatThrownBy(() -> cache.getAll(List.of("one", "two"), key -> key))
                    .isInstanceOf(LoadTimedOutException.class)
                    .hasMessageStartingWith("no value after 200 ms: cache=texts, awaited=Redis.");
        } finally {
            REDIS.server().resume();
        }
        assertThat(cache.counts().loads()).isZero();
    }

    @Test
    void whatIsNotBeingWrittenYetCanBeRemoved() throws Exception {
        RedisClient direct = REDIS.client();
        FaultProxy proxy = REDIS.proxy();
        RedisClient stalling = REDIS.client(proxy.port());
        Store<String> store = store(stalling, Duration.ofSeconds(10), new Tally());
        Loads<String> loads = new Loads<>();
        Draft draft = new Draft(new byte[] {1}, 60_000);
        List<Loaded<String>> all = IntStream.range(0, 3_000)
                .mapToObj(key -> loads.join(new Request<>("key" + key, name -> Optional.of(name), true), 0))
                .map(joined -> new Loaded<>(joined.load(), draft, "", Renewal.NONE))
                .toList();

        proxy.stall(Direction.TO_SERVER);
        Thread writing = Thread.startVirtualThread(() -> new LoadedWriter<>(loads, store, null).write(all));
        Eventually.holds(
                "some are being written", () -> stalling.account().counts().pending(), pending -> pending >= 1_000);
        Eventually.holds("they are awaited", writing::getState, state -> state != Thread.State.RUNNABLE);
        boolean first = all.getFirst().load().becomeWorthless();
        boolean last = all.getLast().load().becomeWorthless();
        proxy.resume(Direction.TO_SERVER);
        writing.join();

        assertThat(first).as("the first is being written").isFalse();
        assertThat(last).as("the last is not").isTrue();
        assertThat(direct.call(Keys.exist("texts:key0", "texts:key2998"))).isEqualTo(2);
        assertThat(direct.call(Keys.exist("texts:key2999"))).isZero();
        assertThat(loads.isUnderWay("key2998")).isFalse();
    }
}
