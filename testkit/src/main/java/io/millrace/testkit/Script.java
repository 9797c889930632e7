// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * What one connection is expected to send, in order, and what it is told.
 *
 * <p>Written by the test before the connection exists, then played by the connection's thread alone.
 */
public final class Script {

    private final Queue<Step> steps = new ArrayDeque<>();

    private Script() {}

    /** A handler that lets the n-th connection follow the n-th script; a connection too many is a failure. */
    @SafeVarargs
    public static Handler each(Consumer<Script>... scripts) {
        List<Script> written = new ArrayList<>();
        for (Consumer<Script> author : scripts) {
            Script script = new Script();
            author.accept(script);
            written.add(script);
        }
        return command -> {
            if (command.connection() >= written.size()) {
                throw new AssertionError("there is no script for a connection: " + command);
            }
            return written.get(command.connection()).play(command);
        };
    }

    /**
     * The next command has these first arguments, the name in any case; further arguments are allowed.
     *
     * <p>What it is answered follows with {@link Expectation#reply} or {@link Expectation#answer}.
     */
    public Expectation expect(String... arguments) {
        return new Expectation(List.of(arguments));
    }

    /** Answers {@code command}, or throws an {@link AssertionError} that says what was expected in its place. */
    Answer play(ReceivedCommand command) {
        Step step = steps.poll();
        if (step == null) {
            throw new AssertionError("the script is over, but a command came: " + command);
        }
        if (!step.fits(command)) {
            throw new AssertionError(
                    "another command than the script's came: expected=" + step.arguments + ", received=" + command);
        }
        return step.answer;
    }

    /** A command that is expected, waiting to be told its answer. */
    public final class Expectation {
        private final List<String> arguments;

        private Expectation(List<String> arguments) {
            this.arguments = arguments;
        }

        /** It is answered the raw {@code reply}. */
        public Script reply(String reply) {
            return answer(Answer.reply(reply));
        }

        /** It is answered {@code answer}. */
        public Script answer(Answer answer) {
            steps.add(new Step(arguments, answer));
            return Script.this;
        }
    }

    private record Step(List<String> arguments, Answer answer) {

        boolean fits(ReceivedCommand command) {
            if (command.arguments().size() < arguments.size()
                    || !command.name().equalsIgnoreCase(arguments.getFirst())) {
                return false;
            }
            for (int i = 1; i < arguments.size(); i++) {
                if (!Arrays.equals(
                        arguments.get(i).getBytes(UTF_8), command.arguments().get(i))) {
                    return false;
                }
            }
            return true;
        }
    }
}
