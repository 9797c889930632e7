// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import io.millrace.lab.contender.CommandFile;
import io.millrace.lab.run.CheckOfCalls;
import io.millrace.lab.run.FusedCalls;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import redis.clients.jedis.Jedis;

/** Numbered commands, one key each: the n-th is the same wherever and whenever it is made. */
interface Dataset extends CheckOfCalls {

    /** Keys that are read back after each round, first and last among them. */
    int PROBES = 1_000;

    /** The command's name in lower case. */
    String command();

    /** What several of them are fused into, in lower case. */
    String fusedCommand();

    /** The n-th command and its arguments. */
    List<String> words(long n);

    /** What is wrong with what {@code redis} holds for the commands {@code numbers}. */
    List<String> differences(Jedis redis, long[] numbers);

    /** Writes the first {@code operations} commands, as they go over the wire, to {@code file}. */
    default Path writeCommands(Path file, long operations) {
        return CommandFile.write(file, LongStream.range(0, operations).mapToObj(this::words));
    }

    /** Checks number of keys, number of calls, and the data of {@link #PROBES} keys. */
    @Override
    default List<String> complaints(RedisServer server, long operations, FusedCalls fused) {
        var complaints = new ArrayList<String>();
        complaints.addAll(fused.complaints(server, command(), fusedCommand(), operations));
        long keys = server.control().dbSize();
        if (keys != operations) {
            complaints.add("keys: expected=" + operations + ", found=" + keys);
        }
        complaints.addAll(differences(server.control(), probes(operations)));
        return complaints;
    }

    /** What the server's statistics say; what it never saw is lost. */
    @Override
    default Outcomes outcomes(RedisServer server, long operations) {
        var calls = server.statistics(command());
        long ok = calls.calls() - calls.failed();
        long error = calls.failed() + calls.rejected();
        return new Outcomes(ok, error, 0, 0, Math.max(0, operations - ok - error));
    }

    private static long[] probes(long operations) {
        long last = operations - 1;
        return LongStream.range(0, PROBES)
                .map(i -> i * last / (PROBES - 1))
                .distinct()
                .toArray();
    }
}
