// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A program of commands by chance, all of it from one seed: several callers, each on keys of its own, so that what each is
 * answered does not depend on how their commands mix. Commands of one kind come in bursts, often on one key.
 *
 * @param mode how the commands travel
 * @param promise which kinds may be fused, and so what must be the same
 * @param steps of all callers, mixed as a single thread would run them
 */
record FusionProgram(long seed, Mode mode, Promise promise, List<Step> steps) {

    private static final List<Mode> MODES = List.of(Mode.values());
    private static final int LEAST_COMMANDS = 20;
    private static final int MOST_COMMANDS = 120;

    /** How commands travel. */
    enum Mode {
        /** Futures and calls over the shared connection, a thread for each caller. */
        SENT,
        /** A pipeline for each caller. */
        PIPED,
        /** All through one bulk writer. */
        WRITTEN
    }

    /** What is promised of the replies. */
    enum Promise {
        /** The same replies. */
        EXACT,
        /** The same in programs without the cases that the kinds name. */
        NEARLY,
        /** The same but for numbers. */
        WRITING;

        Set<Fusion> kinds() {
            return switch (this) {
                case EXACT -> Fusion.ALL_EXACT;
                case NEARLY ->
                    Stream.of(Fusion.values())
                            .filter(kind -> kind.promise() != Fusion.Promise.WITHOUT_NUMBERS)
                            .collect(Collectors.toUnmodifiableSet());
                case WRITING -> Fusion.FOR_WRITING;
            };
        }
    }

    /**
     * What a caller does next.
     *
     * @param waits whether it waits for the reply before it goes on
     * @param transaction whether the commands are one; otherwise there is one command
     */
    record Step(int caller, boolean waits, boolean transaction, List<Command<Reply>> commands) {

        Command<Reply> command() {
            return commands.getFirst();
        }

        /** Whether only the kind of its reply is promised, not the number in it. */
        boolean countsTogether() {
            Fusion kind = command().spec().fusion();
            return !transaction && kind != null && kind.promise() == Fusion.Promise.WITHOUT_NUMBERS;
        }

        @Override
        public String toString() {
            String text = commands.stream().map(FusionProgram::text).collect(Collectors.joining("; "));
            return caller + (waits ? " waits for " : ": ") + (transaction ? "MULTI " + text + " EXEC" : text);
        }
    }

    /** The program of {@code seed}. */
    static FusionProgram of(long seed) {
        // Seeds that lie side by side make first numbers that do so too.
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        Mode mode = MODES.get(random.nextInt(MODES.size()));
        int lot = random.nextInt(10);
        Promise promise = lot < 5 ? Promise.EXACT : lot < 7 ? Promise.NEARLY : Promise.WRITING;
        int callers = random.nextInt(5) == 0 ? 1 : 2 + random.nextInt(3);
        int commands = LEAST_COMMANDS + random.nextInt(MOST_COMMANDS - LEAST_COMMANDS + 1);
        // Others take turns with a burst more often or less.
        int stretch = List.of(1, 3, 20, 1_000).get(random.nextInt(4));
        List<List<Step>> each = IntStream.range(0, callers)
                .mapToObj(caller -> stepsOf(caller, commands / callers, promise, random))
                .toList();
        return new FusionProgram(seed, mode, promise, mixed(each, stretch, random));
    }

    private static List<Step> stepsOf(int caller, int commands, Promise promise, Random random) {
        RandomCommands source = new RandomCommands(caller, promise == Promise.NEARLY, random);
        int patience = random.nextInt(4);
        List<Step> steps = new ArrayList<>();
        while (steps.size() < commands) {
            int lot = random.nextInt(20);
            if (lot == 0) {
                steps.add(new Step(caller, true, true, source.some(1 + random.nextInt(6))));
                continue;
            }
            List<Command<Reply>> next = lot < 5 ? List.of(source.other()) : source.burst();
            for (Command<Reply> command : next) {
                boolean waits = random.nextInt(40) < patience;
                steps.add(new Step(caller, waits, false, List.of(command)));
            }
        }
        return steps;
    }

    /** One after the other of some callers' steps, up to {@code stretch} of one caller before the next may come. */
    private static List<Step> mixed(List<List<Step>> each, int stretch, Random random) {
        List<Step> mixed = new ArrayList<>();
        int[] at = new int[each.size()];
        List<Integer> left = new ArrayList<>();
        IntStream.range(0, each.size()).forEach(left::add);
        while (!left.isEmpty()) {
            int caller = left.get(random.nextInt(left.size()));
            List<Step> steps = each.get(caller);
            int end = Math.min(steps.size(), at[caller] + 1 + random.nextInt(stretch));
            mixed.addAll(steps.subList(at[caller], end));
            at[caller] = end;
            if (end == steps.size()) {
                left.removeIf(one -> one == caller);
            }
        }
        return mixed;
    }

    int callers() {
        return 1 + steps.stream().mapToInt(Step::caller).max().orElse(0);
    }

    /** The step at {@code index} and those around it. */
    String around(int index) {
        return IntStream.range(Math.max(0, index - 12), Math.min(steps.size(), index + 8))
                .mapToObj(i -> (i == index ? "\n  > " : "\n    ") + i + " " + steps.get(i))
                .collect(Collectors.joining());
    }

    private static String text(Command<Reply> command) {
        return command.spec().name()
                + RawConnection.arguments(command).stream()
                        .map(FusionProgram::text)
                        .collect(Collectors.joining(" ", " ", ""));
    }

    /** {@code bytes} as text that can be read, and not too long. */
    static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder("'");
        for (char c : new String(bytes, 0, Math.min(bytes.length, 24), ISO_8859_1).toCharArray()) {
            text.append(c >= ' ' && c <= '~' ? String.valueOf(c) : String.format("\\x%02x", (int) c));
        }
        return text.append(bytes.length > 24 ? "'… of " + bytes.length + " bytes" : "'")
                .toString();
    }
}
