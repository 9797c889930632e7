// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares {@link FastParser} with {@link PicocliParser}, which parses every command line. */
class FastParserTest {

    private static final List<String> VALUES = List.of(
            "1", "id", "k:{id}", "a,b", "a,,b,", "30s", "1h", "8MB", "hash", "json", "csv", "full", "stop", "", " ",
            "x=y", "@f", "'q'", "\"q\"", "é", "-", "-1", "--json", "none");

    @Test
    void randomCommandLinesAreParsedTheSameWay() {
        int fast = 0;
        for (int seed = 0; seed < 3_000; seed++) {
            List<String> args = randomArgs(new Random(seed));
            LoadArguments load = new LoadArguments();
            Optional<List<String>> operands = FastParser.parse(load.groups(), args);
            if (operands.isPresent() && operands.get().size() == 1) {
                fast++;
                LoadArguments expected = new LoadArguments();
                PicocliParser.parse(PicocliModel.load(expected), args, "millrace load");

                assertThat(typed(load)).as("seed %d: %s", seed, args).isEqualTo(typed(expected));
                assertThat(operands.get()).containsExactly(expected.source);
            }
        }
        assertThat(fast).as("command lines that did not need picocli").isGreaterThan(300);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--bogus f",
                "--limit",
                "--limit x f",
                "--limit -1 f",
                "-p6380 f",
                "--json --json f",
                "--json=true f",
                "--key --json f",
                "--lim 5 f"
            })
    void unusualCommandLineIsLeftToPicocliAndSetsNothing(String line) {
        LoadArguments load = new LoadArguments();

        assertThat(FastParser.parse(load.groups(), List.of(line.split(" ")))).isEmpty();
        assertThat(typed(load)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--map a=b --map c:1=d:1,e=f f",
                "--map=a=b --map=c:1=d:1,e=f f",
                "--map a=b -p 1 --map c:1=d:1,e=f -h x --json f"
            })
    void repeatedOptionAddsToItsListInBothParsers(String line) {
        List<String> args = List.of(line.split(" "));
        LoadArguments fast = new LoadArguments();
        LoadArguments slow = new LoadArguments();

        assertThat(FastParser.parse(fast.groups(), args)).contains(List.of("f"));
        PicocliParser.parse(PicocliModel.load(slow), args, "millrace load");

        assertThat(fast.connection.map.value()).contains(List.of("a=b", "c:1=d:1", "e=f"));
        assertThat(typed(slow)).isEqualTo(typed(fast));
    }

    private static List<String> randomArgs(Random random) {
        List<Option<?>> options = new ArrayList<>();
        new LoadArguments().groups().forEach(group -> options.addAll(group.options()));
        List<String> args = new ArrayList<>();
        int count = random.nextInt(5);
        int source = random.nextInt(count + 1);
        for (int i = 0; i <= count; i++) {
            if (i == source) {
                args.add("shop.csv");
            }
            Option<?> option = options.get(random.nextInt(options.size()));
            String name = option.names().get(random.nextInt(option.names().size()));
            if (!option.takesValue()) {
                args.add(name);
            } else if (random.nextBoolean()) {
                args.add(name);
                args.add(value(option, random));
            } else {
                args.add(name + "=" + value(option, random));
            }
        }
        return args;
    }

    /** A value that is mostly valid for the option. */
    private static String value(Option<?> option, Random random) {
        for (int i = 0; i < 10; i++) {
            String value = VALUES.get(random.nextInt(VALUES.size()));
            try {
                option.convert(value);
                return value;
            } catch (IllegalArgumentException notValid) {
                // Try another value.
            }
        }
        return "not valid";
    }

    private static Map<String, Object> typed(LoadArguments load) {
        Map<String, Object> typed = new LinkedHashMap<>();
        load.groups()
                .forEach(group -> group.options()
                        .forEach(option -> option.value().ifPresent(value -> typed.put(option.name(), value))));
        return typed;
    }
}
