// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.contender.RedisBenchmark;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import redis.clients.jedis.params.ScanParams;

/**
 * Whether a server holds what {@link RedisBenchmark} can have left: nobody knows which of its keys it came upon, so they are
 * counted, and the values of some are looked at. Of n draws out of n about 0.63 n are different.
 */
record RandomPairs() implements Check {

    private static final int PROBES = 100;

    @Override
    public List<String> complaints(RedisServer server, long operations) {
        var complaints = new ArrayList<String>();
        long keys = server.keys();
        if (keys < operations / 2 || keys > operations) {
            complaints.add("random keys: expected=" + operations / 2 + " to " + operations + ", found=" + keys);
        }
        var some = new ScanParams().match(Keyspace.PREFIX + "*").count(PROBES);
        var found = server.control().scan(ScanParams.SCAN_POINTER_START, some).getResult();
        var wrong = found.stream()
                .filter(key -> !key.startsWith(RedisBenchmark.KEY_PREFIX)
                        || !Objects.equals(server.control().get(key), RedisBenchmark.VALUE))
                .toList();
        if (!wrong.isEmpty()) {
            complaints.add("wrong keys or values: " + wrong.size() + " of " + found.size() + ", the first at "
                    + wrong.getFirst());
        }
        return complaints;
    }

    /** Not asked for: {@link RedisBenchmark} keeps an account. */
    @Override
    public Outcomes outcomes(RedisServer server, long operations) {
        return Outcomes.answered(operations, 0);
    }
}
