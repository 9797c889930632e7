// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.Operation;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.LabException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Commands that are sent again and again, always with the same values. Every {@code GET} and every {@code RPOP} has one
 * right reply.
 */
final class CommandList {

    /** Number of elements in each list that is drained. */
    static final int POPS = 200;

    static final String HASH = Keyspace.PREFIX + "map";

    private static final long TIME_TO_LIVE_MILLIS = 3_600_000;

    private final List<Operation> commands;
    private final Map<String, String> strings;
    private final Map<Integer, String> replies = new HashMap<>();

    private CommandList(List<Operation> commands, Map<String, String> strings) {
        this.commands = commands;
        this.strings = strings;
        Map<String, Integer> popped = new HashMap<>();
        for (int i = 0; i < commands.size(); i++) {
            switch (commands.get(i)) {
                case Operation.Get get -> replies.put(i, strings.getOrDefault(get.key(), ""));
                case Operation.PopLast pop ->
                    replies.put(i, element(pop.key(), popped.merge(pop.key(), 1, Integer::sum) - 1));
                default -> {}
            }
        }
    }

    private static CommandList of(List<Operation> commands) {
        Map<String, String> strings = new HashMap<>();
        for (Operation command : commands) {
            if (command instanceof Operation.Set set) {
                strings.put(set.key(), set.value());
            }
        }
        return new CommandList(commands, strings);
    }

    /** {@code SET}s of {@code size} keys. */
    static CommandList sets(long size, int payloadBytes) {
        List<Operation> commands = new ArrayList<>();
        for (int n = 0; n < size; n++) {
            commands.add(set(n, payloadBytes));
        }
        return of(commands);
    }

    /** {@code SET}s of half as many keys, then {@code GET}s of the same keys. */
    static CommandList setsThenGets(long size, int payloadBytes) {
        List<Operation> commands = new ArrayList<>();
        for (int n = 0; n < size; n++) {
            commands.add(n < size / 2 ? set(n, payloadBytes) : new Operation.Get(key(n - size / 2)));
        }
        return of(commands);
    }

    /** A group of reads and writes for each of {@code keys} keys. Reads find a value if the keys are filled before. */
    static CommandList mixed(int keys, int payloadBytes, Mix mix) {
        List<Operation> commands = new ArrayList<>();
        Map<String, String> strings = new HashMap<>();
        int group = mix.reads() + mix.writes();
        for (int n = 0; n < keys * group; n++) {
            Operation.Set set = set(n / group, payloadBytes);
            strings.put(set.key(), set.value());
            commands.add(mix.isRead(n) ? new Operation.Get(set.key()) : set);
        }
        return new CommandList(commands, strings);
    }

    /** A JSON document for each field of one hash, and at last the time to live of the hash. */
    static CommandList oneHash(long size) {
        List<Operation> commands = new ArrayList<>();
        for (int n = 0; n < Math.max(1, size - 1); n++) {
            String json = "{\"id\":" + n + ",\"name\":\"entry " + n + "\",\"score\":" + n * 31L % 1_000
                    + ".5,\"active\":" + (n % 3 != 0) + "}";
            commands.add(new Operation.SetField(HASH, "entry:" + digits(n), json));
        }
        commands.add(new Operation.Expire(HASH, TIME_TO_LIVE_MILLIS));
        return of(commands);
    }

    /** Drains lists one after the other, {@link #POPS} pops for each. */
    static CommandList pops(long size) {
        List<Operation> commands = new ArrayList<>();
        for (String list : listsToDrain(size)) {
            for (int n = 0; n < POPS; n++) {
                commands.add(new Operation.PopLast(list));
            }
        }
        return of(commands);
    }

    /** The lists that {@link #pops} drains. */
    static List<String> listsToDrain(long size) {
        List<String> lists = new ArrayList<>();
        for (int n = 0; n < Math.max(1, size / POPS); n++) {
            lists.add(Keyspace.PREFIX + "list:" + digits(n));
        }
        return lists;
    }

    /** Element {@code n} of {@code list}, in the order of the pops. */
    static String element(String list, int n) {
        return list + " element " + n;
    }

    private static Operation.Set set(long n, int payloadBytes) {
        return new Operation.Set(key(n), value(key(n), payloadBytes));
    }

    private static String key(long n) {
        return Keyspace.PREFIX + digits(n);
    }

    /** A value that belongs to one key only. */
    private static String value(String key, int payloadBytes) {
        String number = key.substring(Keyspace.PREFIX.length());
        return number + "x".repeat(Math.max(0, payloadBytes - number.length()));
    }

    private static String digits(long n) {
        String text = Long.toString(n);
        return "0".repeat(Math.max(0, 6 - text.length())) + text;
    }

    /** The right value of each string that the commands read or write. */
    Map<String, String> strings() {
        return strings;
    }

    List<Operation> commands() {
        return commands;
    }

    int size() {
        return commands.size();
    }

    /**
     * Checks the reply to command {@code index}.
     *
     * @throws LabException if the command reads, and the reply is wrong
     */
    void check(int index, @Nullable Object reply) {
        String right = replies.get(index);
        if (right != null && !right.equals(reply)) {
            throw new LabException("a command has a wrong reply: command=" + commands.get(index) + ", expected=" + right
                    + ", reply=" + reply);
        }
    }
}
