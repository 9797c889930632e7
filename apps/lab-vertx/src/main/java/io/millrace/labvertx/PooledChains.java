// SPDX-License-Identifier: Apache-2.0
package io.millrace.labvertx;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.Chains;
import io.vertx.core.Future;
import io.vertx.redis.client.Redis;

/** Chains through {@code Redis.send}, which takes a connection out of the pool for each command. */
public record PooledChains(Chains chains) implements Work {

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        var options = ConnectionChains.options(context.target()).setMaxPoolWaiting(chains.chains());
        return ChainRuns.open(chains, loop -> Future.succeededFuture(pool(Redis.createClient(loop.vertx(), options))));
    }

    private static ChainRuns.Getter pool(Redis redis) {
        return key -> redis.send(ConnectionChains.get(key)).map(ConnectionChains::text);
    }
}
