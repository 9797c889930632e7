// SPDX-License-Identifier: Apache-2.0
package io.millrace.labvertx;

import io.millrace.client.ClientOptions;
import io.millrace.client.Overflow;
import io.millrace.client.command.Strings;
import io.millrace.lab.bulk.FusedCalls;
import io.millrace.lab.client.MillraceClients;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.Chains;
import io.millrace.vertx.VertxRedis;
import io.vertx.core.Future;

/** Chains through {@link VertxRedis}. */
public record MillraceChains(Chains chains) implements Work {

    static ClientOptions options(Target target) {
        return MillraceClients.options(target).overflow(Overflow.REFUSE).build();
    }

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        var options = options(context.target());
        return ChainRuns.open(
                chains, loop -> VertxRedis.connect(loop.vertx(), options).map(Redis::new));
    }

    private record Redis(VertxRedis redis) implements ChainRuns.Getter {

        @Override
        public Future<String> get(String key) {
            return redis.send(Strings.get(key)).map(value -> value.orElse(""));
        }

        @Override
        public FusedCalls fused() {
            return FusedCalls.of(redis.client().stats().fusion());
        }
    }
}
