// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import io.millrace.lab.run.CheckOfCalls;
import io.millrace.lab.run.FusedCalls;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * {@code SET}s of a few keys, over and over, each to the same value every time: the data is right whichever of them were
 * carried out.
 */
public final class RepeatedSets implements CheckOfCalls {

    static final int KEYS = 10_000;

    private final String[] keys = texts("key:%09d");
    private final String[] values = texts("value:%010d");

    private static String[] texts(String format) {
        return IntStream.range(0, KEYS).mapToObj(format::formatted).toArray(String[]::new);
    }

    /** The key of the n-th. */
    public String key(long n) {
        return keys[(int) (n % KEYS)];
    }

    /** The value of the n-th. */
    public String value(long n) {
        return values[(int) (n % KEYS)];
    }

    /** Checks the number of calls, and the value of every key there is. */
    @Override
    public List<String> complaints(RedisServer server, long operations, FusedCalls fused) {
        var complaints = new ArrayList<String>();
        complaints.addAll(fused.complaints(server, "set", "mset", operations));
        var found = server.control().mget(keys);
        long right = IntStream.range(0, KEYS)
                .filter(i -> values[i].equals(found.get(i)))
                .count();
        long all = server.control().dbSize();
        if (right == 0 || right != all) {
            complaints.add("keys: found=" + all + ", with the right value=" + right);
        }
        return complaints;
    }

    /** What the server's statistics say; what it never saw is lost. */
    @Override
    public Outcomes outcomes(RedisServer server, long operations) {
        var calls = server.statistics("set");
        long ok = calls.calls() - calls.failed();
        long error = calls.failed() + calls.rejected();
        return new Outcomes(ok, error, 0, 0, Math.max(0, operations - ok - error));
    }
}
