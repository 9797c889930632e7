// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.RedisUri;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.Target;

/** Checks of a plan and of the mode of its server. Each check throws {@link PlanException}. */
final class PlanChecks {

    private PlanChecks() {}

    static void checkReload(LoadPlan plan, Reload reload, RedisUri redis) {
        Target target = plan.target();
        if (ClusterServers.isCluster(redis)) {
            throw new PlanException(
                    "a cluster cannot swap or prune the keys of a job, because each step changes several"
                            + " keys at once, and the keys of a cluster are on several servers: job=" + reload.job()
                            + ". Load without a job, and let old keys expire (ttl).");
        }
        if (reload.prune() && plan.options().limit().isPresent()) {
            throw new PlanException("limit cannot be combined with prune: job=" + reload.job() + ", limit="
                    + plan.options().limit().getAsLong()
                    + ". The keys of the rows that are not read would be removed. Leave out one of these options.");
        }
        if (reload.swap() && target.options().onlyMissing()) {
            throw new PlanException("onlyMissing cannot be combined with swap: job=" + reload.job() + ", key="
                    + target.options().key() + ". A swap replaces all keys. Leave out one of these options.");
        }
    }

    static void checkVerifiable(Target target) {
        target.whyNotVerifiable().ifPresent(why -> {
            throw new PlanException("rows cannot be verified: type=" + target.type() + ", key="
                    + target.options().key() + " (" + why + "). Load without verification.");
        });
    }

    /** Refuses servers of a mode into which no rows can be loaded. */
    static void checkMode(LoadReport.Server server, RedisUri redis) {
        if (server.mode().equals("cluster") && !ClusterServers.isCluster(redis)) {
            throw new PlanException(redis + " is a node of a cluster, which stores a part of the keys. Name the"
                    + " cluster by redis-cluster://HOST:PORT,HOST:PORT, or by -c on the command line.");
        }
        if (server.mode().equals("sentinel")) {
            throw new PlanException(redis
                    + " is a Sentinel, which stores no rows. Name the Sentinels by redis-sentinel://HOST:PORT/0#NAME, or the"
                    + " server that the Sentinel watches: redis-cli asks for it"
                    + " with SENTINEL GET-MASTER-ADDR-BY-NAME");
        }
    }
}
