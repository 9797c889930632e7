// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.testkit.Answer;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ReceivedCommand;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** A fake server that stores strings in a map. It knows {@code SET key value} and {@code INFO}. */
final class FakeStringServer implements Handler {

    private final Function<ReceivedCommand, Optional<Answer>> faults;

    // The monitor of this object guards the following fields.
    private final Map<String, String> strings = new HashMap<>();
    private final Set<Integer> endedConnections = new HashSet<>();
    private String runId = "first";

    /**
     * Creates a server.
     *
     * @param faults decides for each {@code SET}: the answer that the server sends instead of executing the command;
     *     empty if it executes the command
     */
    FakeStringServer(Function<ReceivedCommand, Optional<Answer>> faults) {
        this.faults = faults;
    }

    synchronized void restart() {
        runId = "second";
    }

    synchronized Map<String, String> strings() {
        return Map.copyOf(strings);
    }

    @Override
    public synchronized Answer answer(ReceivedCommand command) {
        if (endedConnections.contains(command.connection())) {
            // A real server executes nothing more from a connection that it has ended.
            return Answer.noReply();
        }
        Answer answer = execute(command);
        if (answer instanceof Answer.End) {
            endedConnections.add(command.connection());
        }
        return answer;
    }

    private Answer execute(ReceivedCommand command) {
        return switch (command.name()) {
            case "SET" -> faults.apply(command).orElseGet(() -> set(command));
            case "INFO" -> {
                String text = "redis_version:7.0.15\r\nredis_mode:standalone\r\nrun_id:" + runId + "\r\n";
                yield Answer.reply("$" + text.length() + "\r\n" + text + "\r\n");
            }
            default -> Answer.reply("-ERR unknown command\r\n");
        };
    }

    private Answer set(ReceivedCommand command) {
        strings.put(command.text(1), command.text(2));
        return Answer.reply("+OK\r\n");
    }
}
