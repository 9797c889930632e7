// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.function.IntFunction;

/**
 * A handler that combines two sources: {@code greetings} gives the greeting of each connection, {@code answers} gives
 * the answers to the commands.
 */
record GreetingHandler(IntFunction<Answer> greetings, Handler answers) implements Handler {

    @Override
    public Answer answer(ReceivedCommand command) {
        return answers.answer(command);
    }

    @Override
    public Answer greeting(int connection) {
        return greetings.apply(connection);
    }
}
