// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.function.IntFunction;

/** A handler that greets in one way and answers in another's. */
record Greeting(IntFunction<Answer> greetings, Handler answers) implements Handler {

    @Override
    public Answer answer(ReceivedCommand command) {
        return answers.answer(command);
    }

    @Override
    public Answer greeting(int connection) {
        return greetings.apply(connection);
    }
}
