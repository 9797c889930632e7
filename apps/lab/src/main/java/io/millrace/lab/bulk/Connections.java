// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.TlsOptions;
import io.millrace.lab.client.JedisClients;
import io.millrace.lab.client.MillraceClients;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** Connects libraries, and programs of the lab, to a {@link Target}. */
public final class Connections {

    /** Environment variable with the address and the login of the server. {@code millrace load} reads it, too. */
    static final String URL_VARIABLE = "REDIS_URL";

    /** Environment variable with the path of the trusted certificate. Set if the connection uses TLS. */
    static final String CERTIFICATE_VARIABLE = "MILLRACE_LAB_CERTIFICATE";

    /** Long enough for a start on a busy machine. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    /** A client of Millrace with default options. */
    public static RedisClient millrace(Target target) {
        return RedisClient.connect(MillraceClients.options(target).build());
    }

    /** A connection of Jedis. See {@link #missingForJedis} for its limits. */
    public static Jedis jedis(Target target) {
        try {
            return new Jedis(new HostAndPort(target.host(), target.port()), JedisClients.config(target));
        } catch (IOException | GeneralSecurityException e) {
            throw new LabException("cannot read the trusted certificate: cause=" + e.getMessage(), e);
        }
    }

    /** Why Jedis cannot reach {@code target}; empty if Jedis can. */
    public static Optional<String> missingForJedis(Target target) {
        return target.socket().isPresent()
                ? Optional.of("Jedis does not connect to Unix sockets. Name a host and a port.")
                : missingOnCluster(target, "This program uses one connection of Jedis");
    }

    /** Why a program cannot use a cluster; empty if {@code target} is none. */
    static Optional<String> missingOnCluster(Target target, String reason) {
        return target.cluster()
                ? Optional.of(reason + ". Name a server that stands alone, or run the experiment cluster.")
                : Optional.empty();
    }

    /** The outcomes that Millrace counts. Pending commands are in none of them. */
    public static Outcomes outcomes(CommandCounts counts) {
        return new Outcomes(counts.ok(), counts.error(), counts.timedOut(), counts.refused(), counts.lost());
    }

    /** Environment variables that tell a program of Millrace where the server is. The login is not in its arguments. */
    static Map<String, String> environment(Target target) {
        var variables = new HashMap<>(Map.of(URL_VARIABLE, url(target)));
        target.certificate().ifPresent(path -> variables.put(CERTIFICATE_VARIABLE, path.toString()));
        return variables;
    }

    /** The options that {@link #environment} describes. */
    static ClientOptions fromEnvironment(Map<String, String> variables) {
        var builder = ClientOptions.builder(RedisUri.parse(variables.getOrDefault(URL_VARIABLE, "")))
                .connectTimeout(CONNECT_TIMEOUT);
        Optional.ofNullable(variables.get(CERTIFICATE_VARIABLE))
                .ifPresent(file -> builder.tls(TlsOptions.DEFAULT.trusting(Path.of(file))));
        return builder.build();
    }

    /** A URL with the login. The URL must not be printed, and must not be an argument of a process. */
    public static String url(Target target) {
        String login = target.password()
                .map(password -> encoded(target.username().orElse("")) + ":" + encoded(password) + "@")
                .orElse("");
        if (target.socket().isPresent()) {
            var path =
                    encoded(target.socket().get().toAbsolutePath().toString()).replace("%2F", "/");
            return "unix://" + login + path + "?db=" + target.database();
        }
        String host = target.host().contains(":") ? "[" + target.host() + "]" : target.host();
        String scheme = (target.certificate().isPresent() ? "rediss" : "redis") + (target.cluster() ? "-cluster" : "");
        String database = target.cluster() ? "" : "/" + target.database();
        return scheme + "://" + login + host + ":" + target.port() + database;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private Connections() {}
}
