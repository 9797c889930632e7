// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.FusingClient.FusedCommands;
import io.millrace.lab.server.RedisServer;
import io.millrace.lab.server.RedisServer.CommandStatistics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Compares the commands that the server has executed in a round with the right numbers. So a client cannot pass without
 * doing the work. Used by one thread.
 */
final class CommandCounts {

    /** The commands that are counted, and the command that a client may send in place of several of them. */
    private static final Map<String, String> FUSED_INTO =
            Map.of("set", "mset", "get", "mget", "hset", "hset", "rpop", "rpop", "incr", "incr");

    private final Map<String, CommandStatistics> before = new HashMap<>();

    /** Begins a round. A server of the user has executed the same commands before. */
    void begin(RedisServer server) {
        names().forEach(name -> before.put(name, server.statistics(name)));
    }

    private static Set<String> names() {
        Set<String> names = new TreeSet<>(FUSED_INTO.keySet());
        names.addAll(FUSED_INTO.values());
        return names;
    }

    /**
     * Returns complaints about the counts of the server.
     *
     * @param expected right number for each command, without fusion; other commands must not occur
     * @param fused the fused commands that the client reports
     */
    List<String> complaints(RedisServer server, Map<String, Long> expected, FusedCommands fused) {
        List<String> complaints = new ArrayList<>();
        long calls = 0;
        for (String name : names()) {
            CommandStatistics found = sinceBegin(server, name);
            calls += found.calls();
            long right = expected.getOrDefault(name, 0L);
            boolean mayBeMore = FUSED_INTO.containsValue(name) && !FUSED_INTO.containsKey(name);
            boolean isWrong = fused.commands() == 0 ? found.calls() != right : found.calls() > right && !mayBeMore;
            if (isWrong || found.failed() > 0 || found.rejected() > 0) {
                complaints.add("calls of " + name + ": expected=" + right + ", executed=" + found.calls() + ", failed="
                        + found.failed() + ", rejected=" + found.rejected());
            }
        }
        long sent = expected.entrySet().stream()
                        .filter(entry -> FUSED_INTO.containsKey(entry.getKey()))
                        .mapToLong(Map.Entry::getValue)
                        .sum()
                - fused.commands()
                + fused.batches();
        if (calls != sent) {
            complaints.add("calls of all commands: expected=" + sent + ", executed=" + calls + ", fused commands="
                    + fused.commands() + ", in batches=" + fused.batches());
        }
        return complaints;
    }

    private CommandStatistics sinceBegin(RedisServer server, String name) {
        CommandStatistics now = server.statistics(name);
        CommandStatistics earlier = before.getOrDefault(name, new CommandStatistics(0, 0, 0));
        return new CommandStatistics(
                now.calls() - earlier.calls(), now.failed() - earlier.failed(), now.rejected() - earlier.rejected());
    }
}
