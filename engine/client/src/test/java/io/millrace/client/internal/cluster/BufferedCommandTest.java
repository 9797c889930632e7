// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.KeySlot;
import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.internal.fusion.EncodedCommand;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BufferedCommandTest {

    private static BufferedCommand buffered(CommandSpec<?> spec, Object... arguments) {
        BufferedCommand command = new BufferedCommand(Server.PING);
        command.begin(spec);
        for (Object argument : arguments) {
            switch (argument) {
                case Integer number -> command.arg(number.longValue());
                case byte[] bytes -> command.arg(bytes, 0, bytes.length);
                default -> command.arg(argument.toString());
            }
        }
        command.end();
        return command;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET|k",
                "SET|{é}key|v",
                "DEL|a{t}|b{t}|c{t}",
                "MSET|{t}a|v|{t}b|v",
                "EVALSHA|sha|1|k|v",
                "EVALSHA|sha|2|{t}k|{t}l|v",
                "EVALSHA|sha|0|v",
                "EVALSHA|sha",
                "ZUNIONSTORE|{t}d|2|{t}a|{t}b",
                "OBJECT|ENCODING|k",
                "BLPOP|{t}a|{t}b|0",
                "XREAD|COUNT|1|STREAMS|{t}a|{t}b|0|0",
                "PING",
                "GET",
                "DEL"
            })
    void hashSlotIsThatOfTheSameCommandObject(String line) {
        String[] words = line.split("\\|");
        CommandSpec<Reply> spec = CommandSpec.of(words[0], Replies::raw);
        Object[] arguments = Arrays.copyOfRange(words, 1, words.length, Object[].class);

        int hashSlot = buffered(spec, arguments).hashSlot();

        int expected = Command.of(spec, arguments).hashSlot();
        assertThat(hashSlot).isEqualTo(expected < 0 ? KeySlot.COUNT : expected);
    }

    @Test
    void keyMayBeANumber() {
        CommandSpec<Reply> get = CommandSpec.of("GET", Replies::raw);

        assertThat(buffered(get, 12_345).hashSlot()).isEqualTo(KeySlot.of("12345"));
        assertThat(buffered(CommandSpec.of("EVALSHA", Replies::raw), "sha", 1, 77)
                        .hashSlot())
                .isEqualTo(KeySlot.of("77"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DEL|a|b", "MSET|a|v|b|v", "EVALSHA|sha|2|a|b", "BLPOP|a|b|0"})
    void keysOfSeveralSlotsAreRefused(String line) {
        String[] words = line.split("\\|");
        CommandSpec<Reply> spec = CommandSpec.of(words[0], Replies::raw);
        Object[] arguments = Arrays.copyOfRange(words, 1, words.length, Object[].class);

        assertThatThrownBy(() -> buffered(spec, arguments).hashSlot())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words[0] + " has keys of 2 hash slots");
    }

    /** Records are added and removed in random order, so that segments and indexes are used again. */
    @Test
    void recordsKeepTheirArgumentsUntilTheyAreRemoved() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        CommandSpec<Reply> spec = CommandSpec.of("SET", Replies::raw);
        CommandRecords records = new CommandRecords();
        RecordSegments.Chain[] chains = {new RecordSegments.Chain(), new RecordSegments.Chain()};
        List<Integer> added = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            if (added.isEmpty() || random.nextInt(100) < (step < 10_000 ? 51 : 49)) {
                String value = "v".repeat(random.nextInt(random.nextInt(1_000) == 0 ? 100_000 : 200)) + step;
                added.add(records.add(
                        spec, step, step % 100, step, buffered(spec, "key", step, value), chains[random.nextInt(2)]));
                expected.add("key " + step + " " + value);
            } else {
                int index = random.nextInt(Math.min(20, added.size()));
                int record = added.remove(/* index */ index);
                assertThat(text(records, record)).as("seed=%s", seed).isEqualTo(expected.remove(index));
                records.remove(record);
            }
            assertThat(records.count()).isEqualTo(added.size());
        }
    }

    private static String text(CommandRecords records, int record) {
        List<String> words = new ArrayList<>();
        int start = records.start(record);
        int end = start + records.length(record);
        EncodedCommand.arguments(records.spec(record), records.array(record), start, end, new ArgumentSink() {
            @Override
            public ArgumentSink arg(byte[] bytes, int offset, int length) {
                words.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
                return this;
            }
        });
        return String.join(" ", words);
    }
}
