// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.FusingClient.FusedCommands;
import io.millrace.lab.client.Operation;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Fills the server for a {@link CommandList}, and checks the server after the round: the counts of the commands, and all
 * data.
 */
final class CommandListCheck {

    private final LongFunction<CommandList> lists;
    private final CommandCounts counts = new CommandCounts();

    /** @param lists makes the list with the given number of commands */
    CommandListCheck(LongFunction<CommandList> lists) {
        this.lists = lists;
    }

    ServerUse serverUse() {
        return ServerUse.checkedBy((server, sample) -> complaints(
                        server,
                        lists.apply(sample.operations() / sample.units()),
                        sample.operations(),
                        FusedFigures.of(sample)))
                .filledBy(counts::begin);
    }

    /** The same for commands that read keys before they write them: each key has its value before the round. */
    ServerUse filled() {
        return ServerUse.checkedBy((server, sample) -> complaints(
                        server, lists.apply(sample.operations()), sample.operations(), FusedFigures.of(sample)))
                .filledBy(server -> fill(server, lists.apply(1)));
    }

    /** Gives each key its value, and begins a round. */
    void fill(RedisServer server, CommandList list) {
        Map<String, String> values = list.strings();
        server.forEach(values.keySet(), (pipeline, key) -> pipeline.set(key, values.getOrDefault(key, "")));
        counts.begin(server);
    }

    /**
     * For lists that are drained.
     *
     * @param size number of pops in one unit
     * @param units maximum number of units in a round
     */
    ServerUse drains(long size, int units) {
        long filled = CommandList.listsToDrain(size).size() * (long) CommandList.POPS * units;
        return ServerUse.checkedBy((server, sample) -> drainComplaints(
                        server, size, filled - sample.operations(), sample.operations(), FusedFigures.of(sample)))
                .filledBy(server -> fillLists(server, size, units));
    }

    private void fillLists(RedisServer server, long size, int units) {
        for (String list : CommandList.listsToDrain(size)) {
            String[] elements = new String[CommandList.POPS];
            for (int n = 0; n < elements.length; n++) {
                elements[n] = CommandList.element(list, n);
            }
            try (var pipeline = server.control(list).pipelined()) {
                for (int unit = 0; unit < units; unit++) {
                    pipeline.lpush(list, elements);
                }
                pipeline.sync();
            }
        }
        counts.begin(server);
    }

    private List<String> drainComplaints(
            RedisServer server, long size, long expectedLeft, long operations, FusedCommands fused) {
        List<String> complaints = new ArrayList<>(counts.complaints(server, Map.of("rpop", operations), fused));
        long left = CommandList.listsToDrain(size).stream()
                .mapToLong(list -> server.control(list).llen(list))
                .sum();
        if (left != expectedLeft) {
            complaints.add("elements left in the lists: expected=" + expectedLeft + ", found=" + left);
        }
        return complaints;
    }

    /** Returns the complaints after {@code operations} commands of {@code list}, which may have been sent repeatedly. */
    List<String> complaints(RedisServer server, CommandList list, long operations, FusedCommands fused) {
        Map<String, Long> expected = new HashMap<>();
        Map<String, String> fields = new HashMap<>();
        List<Operation> commands = list.commands();
        for (int i = 0; i < commands.size() && i < operations; i++) {
            Operation command = commands.get(i);
            long times = operations / commands.size() + (i < operations % commands.size() ? 1 : 0);
            expected.merge(command.command(), times, Long::sum);
            if (command instanceof Operation.SetField field) {
                fields.put(field.field(), field.value());
            }
        }
        List<String> complaints = new ArrayList<>(counts.complaints(server, expected, fused));
        complaints.addAll(
                fields.isEmpty() ? KeyValues.complaints(server, list.strings()) : hashComplaints(server, fields));
        return complaints;
    }

    private static List<String> hashComplaints(RedisServer server, Map<String, String> fields) {
        List<String> complaints = new ArrayList<>();
        Map<String, String> found = server.control(CommandList.HASH).hgetAll(CommandList.HASH);
        if (!found.equals(fields)) {
            long right = fields.entrySet().stream()
                    .filter(field -> field.getValue().equals(found.get(field.getKey())))
                    .count();
            complaints.add("fields: expected=" + fields.size() + ", found=" + found.size() + ", right=" + right);
        }
        if (server.control(CommandList.HASH).pttl(CommandList.HASH) <= 0) {
            complaints.add("the hash has no time to live: key=" + CommandList.HASH);
        }
        return complaints;
    }
}
