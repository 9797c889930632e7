// SPDX-License-Identifier: Apache-2.0
package io.millrace.labvertx;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.Chains;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import org.jspecify.annotations.Nullable;

/** Chains through one {@code RedisConnection}, which belongs to the event loop of the chains. */
public record ConnectionChains(Chains chains) implements Work {

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        var options = options(context.target());
        return ChainRuns.open(
                chains,
                loop -> Redis.createClient(loop.vertx(), options)
                        .connect()
                        .map(connection -> key -> connection.send(get(key)).map(ConnectionChains::text)));
    }

    static RedisOptions options(Target target) {
        String scheme = target.certificate().isPresent() ? "rediss://" : "redis://";
        var options = new RedisOptions()
                .setConnectionString(target.socket()
                        .map(path -> "unix://" + path + "?db=" + target.database())
                        .orElse(scheme + target.host() + ":" + target.port() + "/" + target.database()));
        target.username().ifPresent(options::setUser);
        target.password().ifPresent(options::setPassword);
        target.certificate()
                .ifPresent(file -> options.setNetClientOptions(new NetClientOptions()
                        .setTrustOptions(new PemTrustOptions().addCertPath(file.toString()))
                        .setHostnameVerificationAlgorithm("HTTPS")));
        return options;
    }

    static Request get(String key) {
        return Request.cmd(Command.GET).arg(key);
    }

    static String text(@Nullable Response response) {
        return response == null ? "" : response.toString();
    }
}
