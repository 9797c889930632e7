// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.command.TimeToLive;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Storing and reading populations. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PopulationsTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final PopulationOptions THREADS = PopulationOptions.DEFAULT.threads(3);

    @ParameterizedTest
    @ValueSource(
            longs = {1, 7, 8, 9, 63, 64, 65, 1_000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (1 << 21) + 13, 5_000_003})
    void allReadResultsEqualTheResultsOfABitSet(long bits) {
        RedisClient client = REDIS.client();
        SplittableRandom random = new SplittableRandom(bits);
        BitSet expected = new BitSet();
        BitSource source = BitSource.random(0.3, bits);
        for (int i = 0; i < bits; i++) {
            expected.set(i, source.word(i >> 6) << (i & 63) < 0);
        }

        Population stored = Populations.of(client, THREADS).store("coin", bits, source);

        assertThat(stored.ones()).isEqualTo(expected.cardinality());
        assertThat(stored.count()).isEqualTo(expected.cardinality());
        assertThat(stored.matches(source)).isTrue();
        assertThat(stored.positions().toArray())
                .isEqualTo(expected.stream().asLongStream().toArray());
        for (int i = 0; i < 40; i++) {
            int from = random.nextInt((int) bits + 1);
            int to = from + random.nextInt(i < 20 ? Math.min(20, (int) bits - from + 1) : (int) bits - from + 1);
            BitSet part = expected.get(from, to);
            assertThat(stored.count(from, to))
                    .as("seed %d: %d to %d", bits, from, to)
                    .isEqualTo(part.cardinality());
            if (i < 25) {
                assertThat(stored.positions(from, to)
                                .map(position -> position - from)
                                .toArray())
                        .as("seed %d: %d to %d", bits, from, to)
                        .isEqualTo(part.stream().asLongStream().toArray());
            }
            int at = random.nextInt((int) bits);
            assertThat(stored.contains(at)).isEqualTo(expected.get(at));
        }
    }

    @Test
    void storedBytesEqualTheBytesThatSetbitWrites() {
        RedisClient client = REDIS.client();

        Population stored = Populations.of(client, PopulationOptions.DEFAULT)
                .store("thirds", 3_000, BitSource.of(offset -> offset % 3 == 1));

        for (long offset = 0; offset < 3_000; offset++) {
            client.call(Bitmaps.set("by-setbit", offset, offset % 3 == 1));
        }
        assertThat(client.call(Strings.get(stored.key().getBytes(UTF_8))))
                .hasValueSatisfying(bytes -> assertThat(bytes)
                        .isEqualTo(client.call(Strings.get("by-setbit".getBytes(UTF_8)))
                                .orElseThrow()));
    }

    @Test
    void sameSeedGivesTheSameBitsOnAnyNumberOfThreads() {
        RedisClient client = REDIS.client();
        BitSource source = BitSource.random(0.5, 42);

        Population alone = Populations.of(client, THREADS.threads(1)).store("alone", 4_000_000, source);
        Population together = Populations.of(client, THREADS.threads(8)).store("together", 4_000_000, source);

        assertThat(together.ones()).isEqualTo(alone.ones());
        assertThat(together.matches(source)).isTrue();
        assertThat(alone.matches(source)).isTrue();
        assertThat(alone.matches(BitSource.random(0.5, 43))).isFalse();
    }

    @Test
    void memoryOfAPopulationIsLittleMoreThanTheSizeOfItsBits() {
        RedisClient client = REDIS.client();

        Population stored =
                Populations.of(client, PopulationOptions.DEFAULT).store("coin", 10_000_000, BitSource.random(0.5, 7));

        assertThat(stored.memoryBytes()).isBetween(1_250_000L, 1_312_000L);
    }

    @Test
    void storingAgainReplacesThePopulation() {
        RedisClient client = REDIS.client();
        Populations.of(client, THREADS).store("coin", 9_000_000, BitSource.random(1, 1));

        Population again = Populations.of(client, PopulationOptions.DEFAULT).store("coin", 100, BitSource.random(0, 1));

        assertThat(again.count()).isZero();
        assertThat(REDIS.keys(client)).containsExactlyInAnyOrder("{coin}:population", "{coin}:bits");
    }

    @Test
    void populationIsFoundByItsNameUntilItIsDeleted() {
        RedisClient client = REDIS.client();
        Populations populations = Populations.of(client, THREADS);
        Population stored = populations.store("coin", 5_000_000, BitSource.random(0.1, 5));

        Population found =
                Populations.of(client, PopulationOptions.DEFAULT).find("coin").orElseThrow();

        assertThat(found.toString()).isEqualTo(stored.toString());
        assertThat(found.count(123_456, 4_567_890)).isEqualTo(stored.count(123_456, 4_567_890));
        assertThat(client.call(Keys.timeToLive(found.key()))).isInstanceOf(TimeToLive.Unlimited.class);
        assertThat(client.call(Keys.timeToLive("{coin}:population"))).isInstanceOf(TimeToLive.Unlimited.class);
        assertThat(populations.delete("coin")).isTrue();
        assertThat(populations.delete("coin")).isFalse();
        assertThat(populations.find("coin")).isEmpty();
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void bitmapLongerThanTheMaximumStringLengthOfTheServerIsRejected() {
        RedisClient client = REDIS.client();
        client.call(Server.setConfig("proto-max-bulk-len", "1500000"));
        try {
            assertThatThrownBy(
                            () -> Populations.of(client, THREADS).store("coin", 20_000_000, BitSource.random(0.5, 7)))
                    .isInstanceOf(BitmapException.class)
                    .hasMessageStartingWith("a population was not stored: name=coin, bits=20000000, key={coin}:bits,")
                    .hasMessageContaining("proto-max-bulk-len");
            assertThat(client.call(Server.size())).isZero();
        } finally {
            client.call(Server.setConfig("proto-max-bulk-len", "536870912"));
        }
    }

    @Test
    void storeWithAFailingSourceLeavesNoKey() {
        RedisClient client = REDIS.client();
        BitSource broken = index -> {
            if (index == 40_000) {
                throw new IllegalStateException("the source has no bits here");
            }
            return index;
        };

        assertThatThrownBy(() -> Populations.of(client, THREADS).store("coin", 9_000_000, broken))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the source has no bits here");

        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void interruptedStoreLeavesNoKeyAndKeepsTheInterruptFlag() {
        RedisClient client = REDIS.client();
        Thread caller = Thread.currentThread();
        BitSource source = index -> {
            if (index == 20_000) {
                caller.interrupt();
            }
            return index;
        };

        assertThatThrownBy(() -> Populations.of(client, THREADS).store("coin", 9_000_000, source))
                .isInstanceOf(RuntimeException.class)
                .hasMessageContaining("interrupted");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void storeStopsAfterTheCurrentBlockIfTheCallingThreadIsInterrupted() {
        RedisClient client = REDIS.client();
        AtomicLong asked = new AtomicLong();
        BitSource source = index -> {
            if (asked.incrementAndGet() == 20_000) { // in the second block
                Thread.currentThread().interrupt();
            }
            return index;
        };

        assertThatThrownBy(() -> Populations.of(client, THREADS.threads(1)).store("coin", 9L << Blocks.SHIFT, source))
                .isInstanceOf(BitmapException.class)
                .hasMessageStartingWith("the thread was interrupted while bits were computed");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(asked).hasValue(2 * Blocks.WORDS);
        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void storeOverAConnectionThatBreaksLeavesNoPopulation() {
        FaultProxy proxy = REDIS.proxy();
        RedisClient broken = REDIS.client(proxy.port());
        RedisClient client = REDIS.client();
        long connections = REDIS.connections(client);
        // The next connection is the bulk connection.
        proxy.cutNext(Direction.TO_SERVER, 700_000, ConnectionEnd.RESET);

        assertThatThrownBy(() -> Populations.of(broken, THREADS).store("coin", 20_000_000, BitSource.random(0.5, 3)))
                .isInstanceOf(BitmapException.class)
                .hasMessageContaining("a population was not stored: name=coin, bits=20000000");

        REDIS.awaitConnections(client, connections);
        assertThat(Populations.of(client, THREADS).find("coin")).isEmpty();
        assertThat(REDIS.keys(client))
                .allSatisfy(key ->
                        assertThat(client.call(Keys.timeToLive(key))).isNotInstanceOf(TimeToLive.Unlimited.class));
    }

    @Test
    void readingAPopulationWithoutItsBitsFails() {
        RedisClient client = REDIS.client();
        Population stored = Populations.of(client, THREADS).store("coin", 9_000_000, BitSource.random(0.5, 3));
        client.call(Keys.unlink("{coin}:bits"));

        LongStream positions = stored.positions();

        assertThatThrownBy(positions::sum)
                .isInstanceOf(BitmapException.class)
                .hasMessage("a population is incomplete: name=coin, key={coin}:bits, offset=0, bytes=0 of 131072."
                        + " Store the population again.");
    }

    @Test
    void keysOfAPopulationShareAHashSlot() {
        RedisClient client = REDIS.client();

        Populations.of(client, THREADS).store("coin", 9_000_000, BitSource.random(0.5, 3));
        Populations.of(client, THREADS).store("my{tag}s", 9_000_000, BitSource.random(0.5, 3));

        assertThat(REDIS.keys(client))
                .hasSize(2 * 2)
                .allSatisfy(key ->
                        assertThat(HashSlots.of(key)).isEqualTo(HashSlots.of(key.contains("tag") ? "tag" : "coin")));
    }

    @Test
    void valuesOutOfRangeAreRejected() {
        assertThatThrownBy(() -> Populations.of(REDIS.client(), THREADS).store("coin", (1L << 32) + 1, index -> 0))
                .hasMessage("bits=4,294,967,297 is out of range: 1 to 4,294,967,296.");
        assertThatThrownBy(() -> PopulationOptions.DEFAULT.threads(0))
                .hasMessage("threads=0 is out of range: 1 to 256.");
        assertThatThrownBy(() -> BitSource.random(Double.NaN, 1))
                .hasMessage("probability=NaN is out of range: 0 to 1.");
    }
}
