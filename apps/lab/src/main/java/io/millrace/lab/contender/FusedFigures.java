// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.FusionCounts;
import io.millrace.client.RedisClient;
import io.millrace.lab.run.FusedCalls;
import java.util.Map;
import java.util.function.Supplier;

/** What Millrace has fused in a round. Used by one thread, after each round once. */
final class FusedFigures {

    private final Supplier<FusionCounts> account;
    private FusedCalls before;

    /** From now on, by the account of a client or a writer. */
    FusedFigures(Supplier<FusionCounts> account) {
        this.account = account;
        this.before = now();
    }

    /** From now on, on all connections of {@code client}. */
    static FusedFigures of(RedisClient client) {
        return new FusedFigures(() -> client.stats().fusion());
    }

    /** Of the commands since it was asked before. */
    Map<String, Double> ofRound() {
        var earlier = before;
        before = now();
        return before.minus(earlier).figures();
    }

    private FusedCalls now() {
        var counts = account.get();
        return new FusedCalls(counts.commands(), counts.fusedBatches());
    }
}
