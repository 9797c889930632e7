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
 * The commands that the test expects on one connection, in order, and the answers to them.
 *
 * <p>This class is not related to Lua scripts. The test fills the script before the connection exists. After that, only
 * the reader thread of the connection uses the script.
 */
public final class Script {

    private final Queue<Step> steps = new ArrayDeque<>();

    private Script() {}

    /**
     * Returns a handler that answers the n-th connection with the n-th script. A command on a connection without a
     * script fails the test.
     */
    @SafeVarargs
    public static Handler perConnection(Consumer<Script>... scripts) {
        List<Script> written = new ArrayList<>();
        for (Consumer<Script> author : scripts) {
            Script script = new Script();
            author.accept(script);
            written.add(script);
        }
        return command -> {
            if (command.connection() >= written.size()) {
                throw new AssertionError("no replies were prepared for the connection of this command: " + command);
            }
            return written.get(command.connection()).play(command);
        };
    }

    /**
     * Expects that the next command starts with these arguments. The first argument is the command name, in upper or
     * lower case. The command may have further arguments.
     *
     * <p>The test must then set the answer with {@link Expectation#reply} or {@link Expectation#answer}.
     */
    public Expectation expect(String... arguments) {
        return new Expectation(List.of(arguments));
    }

    /**
     * Returns the answer to {@code command}. Throws an {@link AssertionError} if the script expects another command or
     * no further command.
     */
    Answer play(ReceivedCommand command) {
        Step step = steps.poll();
        if (step == null) {
            throw new AssertionError("received a command after the last expected command: " + command);
        }
        if (!step.fits(command)) {
            throw new AssertionError(
                    "received an unexpected command: expected=" + step.arguments + ", received=" + command);
        }
        return step.answer;
    }

    /** An expected command whose answer is not set yet. */
    public final class Expectation {
        private final List<String> arguments;

        private Expectation(List<String> arguments) {
            this.arguments = arguments;
        }

        /** Sets the raw reply {@code reply} as the answer to the expected command. */
        public Script reply(String reply) {
            return answer(Answer.reply(reply));
        }

        /** Sets {@code answer} as the answer to the expected command. */
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
