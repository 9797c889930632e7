// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Bitmaps;
import io.millrace.client.Command;
import io.millrace.client.Hashes;
import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Server;
import io.millrace.client.Strings;
import io.millrace.client.TimeToLive;
import io.millrace.resp.Reply;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.ManualClock;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.Refusal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Populations that are stored while something goes wrong, and heads that somebody else has written. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PopulationFaultsTest {

    @RegisterExtension
    static final Redis REDIS = new Redis();

    /** Two blocks in each key, made in the order in which they are sent: 1, 0, 3, 2, and so on. */
    private static final PopulationOptions SPLIT =
            PopulationOptions.DEFAULT.keyBytes(2 * Blocks.BYTES).threads(1);

    /** Cuts the line within each answer and between any two, until one is stored before the cut; what is cut off stays so. */
    @Test
    void populationWhoseAnswersGetLostIsThereAsAWholeOrExpires() {
        RedisClient client = REDIS.client();
        Populations.of(client, SPLIT).store("coin", 1, index -> 0); // the server has the script now
        Map<String, Integer> afterFailures = new TreeMap<>();
        boolean uncut = false;
        for (int answered = 1; !uncut && answered < 2_000; answered++) {
            client.call(Server.flush());
            FaultProxy proxy = REDIS.proxy();
            RedisClient broken = REDIS.client(proxy.port(), Duration.ofMillis(500));
            proxy.cut(Direction.TO_CLIENT, answered, Ending.RESET);

            boolean stored = stored(broken, proxy, answered);
            String found = state(client);

            assertThat(found).as("answered: %d", answered).isIn("absent", "whole");
            if (stored) {
                assertThat(found).isEqualTo("whole");
                // The second is that for the bits; a third would be in place of the first.
                uncut = proxy.acceptedConnections() == 2;
            } else {
                afterFailures.merge(found, 1, Integer::sum);
            }
            broken.close();
            proxy.close();
        }

        assertThat(uncut).isTrue();
        assertThat(afterFailures).as("also cut when it was published").containsOnlyKeys("absent", "whole");
    }

    private static boolean stored(RedisClient broken, FaultProxy proxy, long seed) {
        BitSource coin = BitSource.random(0.5, seed);
        try {
            Populations.of(broken, PopulationOptions.DEFAULT.threads(1)).store("coin", 1_024, index -> {
                proxy.refuseConnections(Refusal.RESET);
                return coin.word(index);
            });
            return true;
        } catch (RuntimeException cut) {
            return false;
        }
    }

    @Test
    void bitThatSomebodyElseSetsMeanwhileIsFound() {
        RedisClient client = REDIS.client();
        RedisClient other = REDIS.client();
        BitSource source = index -> {
            if (index == 4 * Blocks.WORDS) { // of the last block, when the first key is behind
                Eventually.holds("a key", () -> other.call(Strings.length("{coin}:bits:0")) == 2L * Blocks.BYTES);
                other.call(Bitmaps.set("{coin}:bits:0", 4_000_000, true));
            }
            return index;
        };

        assertThatThrownBy(() -> Populations.of(client, SPLIT).store("coin", 5L << Blocks.SHIFT, source))
                .isInstanceOf(BitmapException.class)
                .hasMessageMatching(
                        "a population is not what was sent: key=\\{coin}:bits:0, sent=(\\d+), counted=(\\d+)\\."
                                + " Somebody else writes to this key, or it was evicted; store it again\\.");

        assertThat(client.call(Server.size())).isZero();
    }

    @Test
    void keysOfAPopulationThatTakesDaysAreRenewed() {
        ManualClock clock = new ManualClock();
        RedisClient client = REDIS.client();
        RedisClient other = REDIS.client();
        BitSource source = index -> {
            if (index == 2 * Blocks.WORDS) { // the first key is written when the second is there
                Eventually.holds("the second key", () -> other.call(Keys.exist("{coin}:bits:1")) == 1);
                other.call(Keys.expire("{coin}:bits:0", Duration.ofMinutes(10)));
                clock.advance(PopulationWriter.UNFINISHED.dividedBy(2));
            }
            if (index == 4 * Blocks.WORDS) {
                Eventually.holds(
                        "a key is renewed", () -> leftOf(other, "{coin}:bits:0").toHours() > 22);
            }
            return index;
        };

        Population stored = Populations.of(client, SPLIT, clock).store("coin", 5L << Blocks.SHIFT, source);

        assertThat(stored.matches(index -> index)).isTrue();
    }

    private static Duration leftOf(RedisClient client, String key) {
        return client.call(Keys.timeToLive(key)) instanceof TimeToLive.Expires(Duration left) ? left : Duration.ZERO;
    }

    /** So that a key which somebody has deleted is not begun again by a line that breaks before the expiry. */
    @Test
    void bitsAndTheirExpiryComeInOneStep() {
        RedisClient client = REDIS.client();
        client.call(Command.of("SLOWLOG RESET"));
        client.call(Server.setConfig("slowlog-log-slower-than", "0"));
        try {
            Populations.of(client, SPLIT).store("coin", 3L << Blocks.SHIFT, index -> index);
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
                .as("each within a script")
                .hasSize(3);
    }

    private static String word(List<Reply> command, int index) {
        return Replies.text(command.get(index));
    }

    /** Looked up in one step. */
    private static String state(RedisClient client) {
        return client.call(Command.of("EVAL", """
                local bits, expiry = redis.call('BITCOUNT', '{coin}:bits:0'), redis.call('PTTL', '{coin}:bits:0')
                local ones = redis.call('HGET', '{coin}:population', 'ones')
                if not ones then
                  return expiry == -1 and 'stays without a head' or 'absent'
                end
                return tonumber(ones) == bits and expiry == -1 and 'whole' or 'a head without its bits'
                """, 0).as(Replies::text));
    }

    @Test
    void unreadableHeadIsAnErrorUntilItIsStoredAgain() {
        RedisClient client = REDIS.client();
        Populations populations = Populations.of(client, PopulationOptions.DEFAULT);
        for (Map<String, String> head : List.of(
                Map.of("bits", "x"),
                Map.of("bits", "100", "keyBytes", "131072"),
                Map.of("bits", "8000000000000", "keyBytes", "131072", "ones", "1"))) {
            populations.store("coin", 100, BitSource.random(0.5, 1));
            client.call(Keys.unlink("{coin}:population"));
            client.call(Hashes.set("{coin}:population", head));
            client.call(Strings.set("{coin}:bits:7", "of an older one"));

            assertThatThrownBy(() -> populations.find("coin"))
                    .isInstanceOf(BitmapException.class)
                    .hasMessage("the head of a population is unreadable: key={coin}:population. Store it again.");
            assertThat(populations.store("coin", 200, BitSource.random(1, 1)).count())
                    .isEqualTo(200);
            assertThat(client.call(Keys.exist("{coin}:bits:7"))).isZero();
            assertThat(populations.delete("coin")).isTrue();
            assertThat(client.call(Server.size())).isZero();
        }
    }

    @Test
    void predicateIsNotAskedBehindTheLastBit() {
        boolean[] flags = new boolean[1_001];
        flags[1_000] = true;
        BitSource source = BitSource.of(offset -> flags[(int) offset]);

        Population stored =
                Populations.of(REDIS.client(), PopulationOptions.DEFAULT).store("flags", flags.length, source);

        assertThat(stored.positions()).containsExactly(1_000L);
        assertThat(stored.matches(source)).isTrue();
    }
}
