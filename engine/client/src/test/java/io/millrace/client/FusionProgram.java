// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A random sequence of commands, generated from one seed. Each caller has its own keys, so the replies to a caller do
 * not depend on the interleaving of callers. Commands of one kind form bursts, often on one key.
 *
 * @param mode how the commands are sent
 * @param promise the guarantee about the replies; it determines the kinds of fusion that are enabled
 * @param steps steps of all callers, in the order in which a single thread would run them
 */
record FusionProgram(long seed, Mode mode, Promise promise, List<Step> steps) {

    private static final List<Mode> MODES = List.of(Mode.values());
    private static final int MIN_COMMANDS = 20;
    private static final int MAX_COMMANDS = 120;

    /** How commands are sent. */
    enum Mode {
        /** Futures and calls over the shared connection, with one thread per caller. */
        FUTURES,
        /** One pipeline per caller. */
        PIPELINE,
        /** One bulk writer for all callers. */
        BULK_WRITER
    }

    /** The guarantee about the replies with fusion, compared with the replies without fusion. */
    enum Promise {
        /** Equal replies. */
        EXACT,
        /**
         * The replies are equal, because the program avoids the commands whose replies may differ with fusion. The
         * documentation of {@link Fusion} lists these commands.
         */
        NEARLY,
        /** The replies are equal, except that numbers in the replies may differ. */
        WRITING;

        Set<Fusion> kinds() {
            return switch (this) {
                case EXACT -> Fusion.ALL_EXACT;
                case NEARLY ->
                    Stream.of(Fusion.values())
                            .filter(kind -> kind.guarantee() != Fusion.Guarantee.BATCH_COUNTS)
                            .collect(Collectors.toUnmodifiableSet());
                case WRITING -> Fusion.FOR_BULK_WRITES;
            };
        }
    }

    /**
     * One step of a caller.
     *
     * @param waits whether the caller waits for the reply before its next step
     * @param transaction whether the commands form a transaction; otherwise there is one command
     */
    record Step(int caller, boolean waits, boolean transaction, List<Command<Reply>> commands) {

        Command<Reply> command() {
            return commands.getFirst();
        }

        /**
         * Returns whether fusion guarantees only the type of the reply to this step. The number in the reply may
         * differ.
         */
        boolean promisesTypeOnly() {
            Fusion kind = command().spec().fusion();
            return !transaction && kind != null && kind.guarantee() == Fusion.Guarantee.BATCH_COUNTS;
        }

        @Override
        public String toString() {
            String text = commands.stream().map(FusionProgram::text).collect(Collectors.joining("; "));
            return caller + (waits ? " waits for " : ": ") + (transaction ? "MULTI " + text + " EXEC" : text);
        }
    }

    /** Returns the program that is generated from {@code seed}. */
    static FusionProgram of(long seed) {
        // Adjacent seeds produce similar first random numbers. The multiplication prevents this.
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        Mode mode = MODES.get(random.nextInt(MODES.size()));
        int draw = random.nextInt(10);
        Promise promise = draw < 5 ? Promise.EXACT : draw < 7 ? Promise.NEARLY : Promise.WRITING;
        int callers = random.nextInt(5) == 0 ? 1 : 2 + random.nextInt(3);
        int commands = MIN_COMMANDS + random.nextInt(MAX_COMMANDS - MIN_COMMANDS + 1);
        // A stretch is the largest number of steps that are taken from one caller at a time. If it is short, steps of
        // other callers interrupt a burst more often.
        int stretch = List.of(1, 3, 20, 1_000).get(random.nextInt(4));
        List<List<Step>> each = IntStream.range(0, callers)
                .mapToObj(caller -> stepsOf(caller, commands / callers, promise, random))
                .toList();
        return new FusionProgram(seed, mode, promise, mixed(each, stretch, random));
    }

    private static List<Step> stepsOf(int caller, int commands, Promise promise, Random random) {
        RandomCommands source = new RandomCommands(caller, promise == Promise.NEARLY, random);
        int waitChance = random.nextInt(4);
        List<Step> steps = new ArrayList<>();
        while (steps.size() < commands) {
            int draw = random.nextInt(20);
            if (draw == 0) {
                steps.add(new Step(caller, true, true, source.randomCommands(1 + random.nextInt(6))));
                continue;
            }
            List<Command<Reply>> next = draw < 5 ? List.of(source.unfusedCommand()) : source.burst();
            for (Command<Reply> command : next) {
                boolean waits = random.nextInt(40) < waitChance;
                steps.add(new Step(caller, waits, false, List.of(command)));
            }
        }
        return steps;
    }

    /**
     * Merges the steps of all callers into one list. Repeatedly takes 1 to {@code stretch} steps of a random caller.
     */
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
                left.removeIf(other -> other == caller);
            }
        }
        return mixed;
    }

    int callers() {
        return 1 + steps.stream().mapToInt(Step::caller).max().orElse(0);
    }

    /** Returns the step at {@code index} with up to 12 steps before it and up to 7 steps after it, as text. */
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

    /** Returns {@code bytes} as readable text, shortened to 24 bytes. */
    static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder("'");
        for (char c : new String(bytes, 0, Math.min(bytes.length, 24), ISO_8859_1).toCharArray()) {
            text.append(c >= ' ' && c <= '~' ? String.valueOf(c) : String.format("\\x%02x", (int) c));
        }
        return text.append(bytes.length > 24 ? "'… of " + bytes.length + " bytes" : "'")
                .toString();
    }
}
