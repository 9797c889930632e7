// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.slot.HashSlot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The error message for a command whose keys have several hash slots. The message contains no keys. */
final class HashSlotConflict {

    private static final int MAX_SHOWN = 8;

    private HashSlotConflict() {}

    static String message(CommandSpec<?> spec, byte[][] arguments) {
        Map<Integer, List<Integer>> positions = positionsBySlot(spec.keys(), arguments);
        String shown = positions.entrySet().stream()
                .limit(MAX_SHOWN)
                .map(slot -> "hash slot " + slot.getKey() + " (" + arguments(slot.getValue()) + ")")
                .collect(Collectors.joining(", "));
        int more = positions.size() - MAX_SHOWN;
        return spec.name() + " has keys of " + positions.size() + " hash slots: " + shown
                + (more > 0 ? " and " + more + " more" : "")
                + ". A cluster runs a command only if all its keys have the same hash slot. Use keys with the same hash"
                + " tag, such as {user:1}:name and {user:1}:mail, or send one command for each hash slot."
                + " Arguments count from 0";
    }

    /** Returns the positions of the keys of each hash slot. */
    private static Map<Integer, List<Integer>> positionsBySlot(KeyPositions keys, byte[][] arguments) {
        Map<Integer, List<Integer>> positions = new LinkedHashMap<>();
        for (int i = keys.next(arguments, -1); i >= 0; i = keys.next(arguments, i)) {
            positions
                    .computeIfAbsent(HashSlot.of(arguments[i]), slot -> new ArrayList<>())
                    .add(i);
        }
        return positions;
    }

    private static String arguments(List<Integer> positions) {
        String shown = positions.stream().limit(MAX_SHOWN).map(String::valueOf).collect(Collectors.joining(", "));
        int more = positions.size() - MAX_SHOWN;
        return (positions.size() == 1 ? "argument " : "arguments ")
                + shown
                + (more > 0 ? " and " + more + " more" : "");
    }
}
