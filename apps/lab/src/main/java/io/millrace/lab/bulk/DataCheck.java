// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.RedisServer;
import io.millrace.lab.server.RedisServer.KeyCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * Checks numbered keys: the number of commands, the number of keys, and the data of {@value #SAMPLES} keys. The first
 * and the last key are among the samples.
 *
 * @param operations commands of one unit
 * @param keys number of keys after a round
 * @param command in lower case
 * @param fusedCommand what several commands are fused into, in lower case; may be the same
 * @param key the key with a number, from 0
 * @param read reads a key
 * @param value what {@code read} must return for the key with a number
 */
record DataCheck<V>(
        long operations,
        long keys,
        String command,
        String fusedCommand,
        LongFunction<String> key,
        KeyCommand<V> read,
        LongFunction<V> value)
        implements ServerUse.Check {

    static final int SAMPLES = 1_000;

    /** Few complaints are enough to understand the fault. */
    private static final int MAX_COMPLAINTS = 3;

    @Override
    public List<String> complaints(RedisServer server, Sample sample) {
        var complaints = new ArrayList<String>();
        complaints.addAll(FusedCalls.complaints(server, sample, command, fusedCommand, operations * sample.units()));
        complaints.addAll(dataComplaints(server));
        return complaints;
    }

    /** The complaints about keys and values, without the number of commands. */
    List<String> dataComplaints(RedisServer server) {
        var complaints = new ArrayList<String>();
        long found = server.keys();
        if (found != keys) {
            complaints.add("keys: expected=" + keys + ", found=" + found);
        }
        complaints.addAll(differences(server));
        return complaints;
    }

    private List<String> differences(RedisServer server) {
        long[] numbers = LongStream.range(0, SAMPLES)
                .map(i -> i * (keys - 1) / (SAMPLES - 1))
                .distinct()
                .toArray();
        var names = LongStream.of(numbers).mapToObj(key).toList();
        var found = server.forEach(names, read);
        var differences = new ArrayList<String>();
        for (int i = 0; i < numbers.length; i++) {
            V expected = value.apply(numbers[i]);
            if (!expected.equals(found.get(i))) {
                differences.add(names.get(i) + ": expected=" + expected + ", found=" + found.get(i));
            }
        }
        return differences.stream().limit(MAX_COMPLAINTS).toList();
    }
}
