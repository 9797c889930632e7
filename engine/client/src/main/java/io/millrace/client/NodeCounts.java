// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The commands of a {@link BulkWriter} that were submitted to one node of a cluster. A command that a node has redirected was
 * not executed there, and is submitted once more, usually to another node.
 *
 * @param node address of the node, {@code host:port}
 * @param commands commands that the node has not redirected, counted by outcome
 * @param redirected number of submissions that the node has redirected, or has asked to repeat because their keys move
 */
public record NodeCounts(String node, CommandCounts commands, long redirected) {

    public NodeCounts {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(commands, "commands");
        if (redirected < 0) {
            throw new IllegalArgumentException("redirected must not be negative: redirected=" + redirected);
        }
    }

    /** Number of submissions: of the {@link #commands}, and of the {@link #redirected} ones. */
    public long submitted() {
        return commands.submitted() + redirected;
    }

    /** Returns one entry for each node of {@code counts}, with the sums of its entries, sorted by address. */
    public static List<NodeCounts> sum(List<NodeCounts> counts) {
        Map<String, NodeCounts> nodes = new TreeMap<>();
        counts.forEach(each -> nodes.merge(each.node, each, NodeCounts::plus));
        return new ArrayList<>(nodes.values());
    }

    private NodeCounts plus(NodeCounts other) {
        return new NodeCounts(node, commands.plus(other.commands), redirected + other.redirected);
    }

    /** One line: {@code 10.0.0.7:7000: 1,000 commands submitted, 990 ok, 10 redirected}. */
    public String summary() {
        StringBuilder text = new StringBuilder(node).append(": ").append(Unit.COUNT.text(submitted()));
        text.append(submitted() == 1 ? " command submitted" : " commands submitted");
        append(text, commands.ok(), " ok");
        append(text, commands.error(), " refused with an error");
        append(text, commands.timedOut(), " without a reply in time");
        append(text, commands.refused(), " not sent");
        append(text, commands.lost(), " lost");
        append(text, redirected, " redirected");
        return text.toString();
    }

    private static void append(StringBuilder text, long count, String what) {
        if (count > 0) {
            text.append(", ").append(Unit.COUNT.text(count)).append(what);
        }
    }
}
