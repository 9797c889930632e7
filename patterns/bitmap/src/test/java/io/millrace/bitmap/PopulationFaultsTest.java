// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.command.TimeToLive;
import io.millrace.resp.Reply;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Stores populations while connections fail, and reads population headers that another client wrote. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PopulationFaultsTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    /** One thread makes the blocks in the order in which they are sent: the last block, then 0, 1, 2 and so on. */
    private static final PopulationOptions ONE_THREAD = PopulationOptions.DEFAULT.threads(1);

    /**
     * The first attempt cuts the connection after 1 byte of the replies, the next attempt after 2 bytes, and so on,
     * until an attempt stores the population before the cut. No reconnect succeeds.
     */
    @Test
    void populationWithLostRepliesIsCompleteOrExpires() {
        RedisClient client = REDIS.client();
        Populations.of(client, ONE_THREAD).store("coin", 1, index -> 0); // loads the Lua script into the server
        Map<String, Integer> afterFailures = new TreeMap<>();
        boolean uncut = false;
        for (int replyBytes = 1; !uncut && replyBytes < 2_000; replyBytes++) {
            client.call(Server.flush());
            FaultProxy proxy = REDIS.proxy();
            RedisClient broken = REDIS.client(proxy.port(), Duration.ofMillis(500));
            proxy.cut(Direction.TO_CLIENT, replyBytes, ConnectionEnd.RESET);

            boolean stored = stored(broken, proxy, replyBytes);
            String found = state(client);

            assertThat(found).as("replyBytes: %d", replyBytes).isIn("absent", "complete");
            if (stored) {
                assertThat(found).isEqualTo("complete");
                // The second connection is the bulk connection. A third connection would mean that the first connection
                // was cut.
                uncut = proxy.acceptedConnections() == 2;
            } else {
                afterFailures.merge(found, 1, Integer::sum);
            }
            broken.close();
            proxy.close();
        }

        assertThat(uncut).isTrue();
        assertThat(afterFailures)
                .as("states after cuts before and after publishing")
                .containsOnlyKeys("absent", "complete");
    }

    private static boolean stored(RedisClient broken, FaultProxy proxy, long seed) {
        BitSource coin = BitSource.random(0.5, seed);
        try {
            Populations.of(broken, ONE_THREAD).store("coin", 1_024, index -> {
                proxy.refuseConnections(RefusalMode.RESET);
                return coin.word(index);
            });
            return true;
        } catch (RuntimeException cut) {
            return false;
        }
    }

    @Test
    void bitThatAnotherClientSetsDuringAStoreIsDetected() {
        RedisClient client = REDIS.client();
        RedisClient other = REDIS.client();
        BitSource source = index -> {
            if (index == 3 * Blocks.WORDS) { // in the block that is sent last
                Eventually.holds(
                        "the server has a block", () -> other.call(Strings.length("{coin}:bits")) == 5L * Blocks.BYTES);
                other.call(Bitmaps.set("{coin}:bits", 8_000_000, true));
            }
            return index;
        };

        assertThatThrownBy(() -> Populations.of(client, ONE_THREAD).store("coin", 5L << Blocks.SHIFT, source))
                .isInstanceOf(BitmapException.class)
                .hasMessageMatching("the server has another number of set bits than the client sent:"
                        + " key=\\{coin}:bits, sent=(\\d+), counted=(\\d+)\\."
                        + " Another client writes to this key, or the server evicted the key\\."
                        + " Store the population again\\.");

        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void everyBlockRenewsTheExpiryOfAnIncompletePopulation() {
        RedisClient client = REDIS.client();
        RedisClient other = REDIS.client();
        BitSource source = index -> {
            if (index == 2 * Blocks.WORDS) {
                Eventually.holds("the key exists", () -> other.call(Keys.exist("{coin}:bits")) == 1);
                other.call(Keys.expire("{coin}:bits", Duration.ofMinutes(10)));
            }
            if (index == 4 * Blocks.WORDS - 1) {
                Eventually.holds(
                        "the expiry is renewed",
                        () -> leftOf(other, "{coin}:bits").toMinutes() > 30);
            }
            return index;
        };

        Population stored = Populations.of(client, ONE_THREAD).store("coin", 5L << Blocks.SHIFT, source);

        assertThat(stored.matches(index -> index)).isTrue();
    }

    private static Duration leftOf(RedisClient client, String key) {
        return client.call(Keys.timeToLive(key)) instanceof TimeToLive.Expires(Duration left) ? left : Duration.ZERO;
    }

    /**
     * With two commands, a key could stay forever: another client deletes the key, a block creates the key again, and
     * the connection breaks before the command that sets the expiry.
     */
    @Test
    void oneScriptWritesABlockAndItsExpiry() {
        RedisClient client = REDIS.client();
        client.call(Command.of("SLOWLOG RESET"));
        client.call(Server.setConfig("slowlog-log-slower-than", "0"));
        try {
            Populations.of(client, ONE_THREAD).store("coin", 3L << Blocks.SHIFT, index -> index);
        } finally {
            client.call(Server.setConfig("slowlog-log-slower-than", "10000"));
        }

        List<List<Reply>> commands = Replies.items(client.call(Command.of("SLOWLOG GET", 128))).stream()
                .map(entry -> Replies.items(Replies.items(entry).get(3)))
                .toList();
        assertThat(commands.stream().filter(command -> word(command, 0).equals("SETRANGE")))
                .hasSize(3);
        assertThat(commands.stream()
                        .filter(command -> word(command, 0).equals("EVAL"))
                        .filter(command -> word(command, 1).equals(BitScripts.WRITE_EXPIRING.body())))
                .as("one script per block")
                .hasSize(3);
    }

    private static String word(List<Reply> command, int index) {
        return Replies.text(command.get(index));
    }

    /** Reads the state of the population in one Lua script. */
    private static String state(RedisClient client) {
        return client.call(Command.of("EVAL", """
                local bits, expiry = redis.call('BITCOUNT', '{coin}:bits'), redis.call('PTTL', '{coin}:bits')
                local ones = redis.call('HGET', '{coin}:population', 'ones')
                if not ones then
                  return expiry == -1 and 'no expiry and no head' or 'absent'
                end
                return tonumber(ones) == bits and expiry == -1 and 'complete' or 'a head without its bits'
                """, 0).as(Replies::text));
    }

    @Test
    void populationWithAnInvalidHeaderIsNotReadableUntilItIsStoredAgain() {
        RedisClient client = REDIS.client();
        Populations populations = Populations.of(client, PopulationOptions.DEFAULT);
        for (Map<String, String> head :
                List.of(Map.of("bits", "x"), Map.of("bits", "100"), Map.of("bits", "8000000000000", "ones", "1"))) {
            populations.store("coin", 100, BitSource.random(0.5, 1));
            client.call(Keys.unlink("{coin}:population"));
            client.call(Hashes.set("{coin}:population", head));

            assertThatThrownBy(() -> populations.find("coin"))
                    .isInstanceOf(BitmapException.class)
                    .hasMessage("the hash that describes a population has invalid values: key={coin}:population."
                            + " Store the population again.");
            assertThat(populations.store("coin", 200, BitSource.random(1, 1)).count())
                    .isEqualTo(200);
            assertThat(populations.delete("coin")).isTrue();
            assertThat(client.call(Server.size())).isZero();
        }
    }

    @Test
    void predicateIsNotCalledForOffsetsAfterTheLastBit() {
        boolean[] flags = new boolean[1_001];
        flags[1_000] = true;
        BitSource source = BitSource.of(offset -> flags[(int) offset]);

        Population stored =
                Populations.of(REDIS.client(), PopulationOptions.DEFAULT).store("flags", flags.length, source);

        assertThat(stored.positions()).containsExactly(1_000L);
        assertThat(stored.matches(source)).isTrue();
    }
}
