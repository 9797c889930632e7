// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.management.ThreadMXBean;
import io.millrace.client.KeySlot;
import io.millrace.resp.Reply;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CommandHashSlotTest {

    private static final String ADVICE =
            ". A cluster runs a command only if all its keys have the same hash slot. Use keys with the same hash tag,"
                    + " such as {user:1}:name and {user:1}:mail, or send one command for each hash slot."
                    + " Arguments count from 0";

    /** Keys of the hash slots 12182, 5061 and 866. */
    private static final String FOO = "foo";

    private static final String BAR = "bar";
    private static final String HELLO = "hello";

    private static final int FOO_SLOT = 12_182;

    @Test
    void hashSlotOfACommandIsTheHashSlotOfItsKey() {
        assertThat(Strings.get(FOO).hashSlot()).isEqualTo(FOO_SLOT);
        assertThat(Strings.set(FOO.getBytes(UTF_8), new byte[0]).hashSlot()).isEqualTo(FOO_SLOT);
        assertThat(Command.of("GET", 42).hashSlot()).isEqualTo(KeySlot.of("42"));
        assertThat(Keys.encoding(FOO).hashSlot()).isEqualTo(FOO_SLOT);
        assertThat(Keys.delete("{foo}1", FOO, "{foo}2").hashSlot()).isEqualTo(FOO_SLOT);
    }

    @Test
    void commandWithoutKeysHasNoHashSlot() {
        Script script = Script.of("return 1");

        assertThat(List.of(
                        Server.ping(),
                        Server.info("server"),
                        PubSub.publish(FOO, BAR),
                        Keys.scan("0", ScanOptions.DEFAULT),
                        Scripts.eval(script, List.of(), List.of(FOO, BAR)),
                        Command.of("EVAL", "body", 0, FOO, BAR),
                        Command.of("MGET")))
                .allSatisfy(command -> {
                    assertThat(command.hashSlot()).isEqualTo(-1);
                    assertThat(command.keyIndexes()).isEmpty();
                });
    }

    @Test
    void shardChannelSelectsTheHashSlotButIsNotAKey() {
        Command<Long> publish = PubSub.publishToShard(FOO, "message");

        assertThat(publish.hashSlot()).isEqualTo(FOO_SLOT);
        assertThat(publish.keyIndexes()).isEmpty();
        assertThat(publish.spec().keyIndex()).isEqualTo(-1);
    }

    @Test
    void messageNamesThePositionsAndTheHashSlotsOfTheKeys() {
        assertThatThrownBy(Command.of("MSET", FOO, 1, BAR, 2, "{foo}x", 3)::hashSlot)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("MSET has keys of 2 hash slots: hash slot 12182 (arguments 0, 4),"
                        + " hash slot 5061 (argument 2)" + ADVICE);
        assertThatThrownBy(SortedSetCombinations.storeUnion(FOO, BAR, HELLO)::hashSlot)
                .hasMessage("ZUNIONSTORE has keys of 3 hash slots: hash slot 12182 (argument 0),"
                        + " hash slot 5061 (argument 2), hash slot 866 (argument 3)" + ADVICE);
    }

    @Test
    void messageNamesAtMostEightHashSlotsAndEightArgumentsOfEachHashSlot() {
        String[] tagged = IntStream.range(0, 1_000).mapToObj(i -> "{foo}" + i).toArray(String[]::new);
        tagged[500] = BAR;
        String[] different = IntStream.range(0, 100).mapToObj(Integer::toString).toArray(String[]::new);
        long slots = Arrays.stream(different).mapToInt(KeySlot::of).distinct().count();

        assertThatThrownBy(Strings.getAll(tagged)::hashSlot)
                .hasMessage("MGET has keys of 2 hash slots:"
                        + " hash slot 12182 (arguments 0, 1, 2, 3, 4, 5, 6, 7 and 991 more),"
                        + " hash slot 5061 (argument 500)" + ADVICE);
        assertThatThrownBy(Strings.getAll(different)::hashSlot)
                .hasMessageStartingWith("MGET has keys of " + slots + " hash slots: hash slot ")
                .hasMessageContaining("(argument 7) and " + (slots - 8) + " more" + ADVICE);
    }

    @Test
    void messageContainsNoKey() {
        Throwable refused = catchThrowable(Keys.delete("secret1", "secret2")::hashSlot);

        assertThat(refused).isInstanceOf(IllegalArgumentException.class);
        assertThat(refused.getMessage()).doesNotContain("secret").contains("hash slot " + KeySlot.of("secret2"));
    }

    @Test
    void commandWithKeysOfSeveralHashSlotsCanStillBeMade() {
        Command<Long> command = Keys.delete(FOO, BAR);

        assertThat(command.keyIndexes()).containsExactly(0, 1);
        assertThat(command.idempotently().within(Duration.ofSeconds(1)).keyIndexes())
                .containsExactly(0, 1);
    }

    @Test
    void factoriesWithSeveralKeysKnowAllKeys() {
        Map<String, Double> weights = new TreeMap<>(Map.of(FOO, 1.0, BAR, 2.0));
        Script script = Script.of("return 1");
        StreamRead<String> read = StreamRead.of(FOO, "0").and(BAR, "0").limit(5);
        Duration second = Duration.ofSeconds(1);

        assertThat(Scripts.eval(script, List.of(FOO, BAR), List.of(HELLO)).keyIndexes())
                .containsExactly(2, 3);
        assertThat(Functions.call("f", List.of(FOO), List.of(BAR)).keyIndexes()).containsExactly(2);
        assertThat(SortedSetCombinations.storeUnion(HELLO, Aggregate.MAX, weights)
                        .keyIndexes())
                .containsExactly(0, 2, 3);
        assertThat(Pops.lists(ListEnd.LEFT, 1, FOO, BAR).keyIndexes()).containsExactly(1, 2);
        assertThat(Lists.awaitLeft(second, FOO, BAR).keyIndexes()).containsExactly(0, 1);
        assertThat(Streams.read(read).keyIndexes()).containsExactly(3, 4);
        assertThat(Streams.readGroup("STREAMS", "c", read.waiting(second)).keyIndexes())
                .containsExactly(8, 9);
        assertThat(Bitmaps.combine(BitOperation.AND, FOO, BAR, HELLO).keyIndexes())
                .containsExactly(1, 2, 3);
        assertThat(Sorting.store(FOO, SortOptions.DEFAULT.limit(0, 1), BAR).keyIndexes())
                .containsExactly(0, 5);
    }

    @Test
    void hashSlotFollowsAChangeOfAnArgument() {
        byte[] key = FOO.getBytes(UTF_8);
        Command<?> command = Strings.get(key);
        int before = command.hashSlot();

        System.arraycopy(BAR.getBytes(UTF_8), 0, key, 0, key.length);

        assertThat(before).isEqualTo(FOO_SLOT);
        assertThat(command.hashSlot()).isEqualTo(KeySlot.of(BAR));
    }

    @Test
    void hashSlotAllocatesNothing() {
        List<Command<Reply>> commands = List.of(
                Command.of("GET", FOO),
                Command.of("MSET", FOO, 1, "{foo}2", 2),
                Command.of("EVALSHA", "sha", 2, FOO, "{foo}2", 5),
                Command.of("XREAD", "COUNT", 5, "STREAMS", FOO, "{foo}2", 0, 0),
                Command.of("SORT", FOO, "LIMIT", 0, 1, "STORE", "{foo}2"),
                Command.of("MIGRATE", "h", 1, "", 0, 1, "AUTH", "p", "KEYS", FOO, "{foo}2"));
        long warm = sum(commands, 1_000);

        long before = allocated();
        long total = sum(commands, 100_000);
        long allocated = allocated() - before;

        assertThat(warm).isEqualTo(1_000L * commands.size() * FOO_SLOT);
        assertThat(total).isEqualTo(100_000L * commands.size() * FOO_SLOT);
        // A single object per call would be at least 9,600,000 bytes.
        assertThat(allocated).isLessThan(10_000);
    }

    private static long sum(List<Command<Reply>> commands, int rounds) {
        long sum = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < commands.size(); i++) {
                sum += commands.get(i).hashSlot();
            }
        }
        return sum;
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
