// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.Credentials;
import io.millrace.client.RedisUri;
import java.util.List;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.ssl.SslBundle;

/** The address that Spring Data Redis uses: the keys {@code spring.data.redis.*}, or a service connection. */
record DataRedisDetails(RedisUri uri, Optional<SslBundle> sslBundle) implements DetailsOfStarter {

    private static final Log LOG = LogFactory.getLog("io.millrace.spring");

    private static final String ALTERNATIVE =
            "Set millrace.redis.url to the address of a single server, of the primary, of Sentinels, or of a cluster.";

    /**
     * Returns the details of Spring Data Redis, with the login of {@code keys} if the details have none.
     *
     * @param dataKeys keys of Spring Data Redis, for {@code rediss://}, which the details do not contain
     */
    static DataRedisDetails of(
            DataRedisConnectionDetails details, @Nullable DataRedisProperties dataKeys, RedisProperties keys) {
        if (details.getMasterReplica() != null) {
            throw new KeyException(
                    "spring.data.redis.masterreplica names a primary with replicas, and the client of Millrace connects to"
                            + " one server, to the primary of Sentinels, or to a cluster",
                    ALTERNATIVE);
        }
        if (dataKeys != null
                && dataKeys.getCluster() != null
                && dataKeys.getCluster().getMaxRedirects() != null) {
            LOG.info(
                    "spring.data.redis.cluster.max-redirects has no effect on the client of Millrace, which has a fixed"
                            + " limit of 16 redirects of a command.");
        }
        RedisUri uri = address(details);
        String password = Optional.ofNullable(details.getPassword()).orElse("");
        RedisUri withLogin = PropertiesConnectionDetails.withLogin(
                password.isEmpty() ? uri : uri.withLogin(user(details), password), keys, "spring.data.redis.*");
        DataRedisConnectionDetails.Standalone server = details.getStandalone();
        return new DataRedisDetails(
                server != null && usesTls(server, dataKeys) ? withLogin.withTls() : withLogin,
                Optional.ofNullable(details.getSslBundle()));
    }

    private static RedisUri address(DataRedisConnectionDetails details) {
        DataRedisConnectionDetails.Sentinel sentinel = details.getSentinel();
        if (sentinel != null) {
            return address(sentinel);
        }
        DataRedisConnectionDetails.Cluster cluster = details.getCluster();
        if (cluster != null) {
            return RedisUri.cluster(addresses(cluster.getNodes()));
        }
        DataRedisConnectionDetails.Standalone server = details.getStandalone();
        if (server == null) {
            throw new KeyException("spring.data.redis.* contain no address for the client of Millrace", ALTERNATIVE);
        }
        return RedisUri.of(server.getHost(), server.getPort() > 0 ? server.getPort() : RedisUri.PORT.defaultValue())
                .withDatabase(server.getDatabase());
    }

    private static RedisUri address(DataRedisConnectionDetails.Sentinel sentinel) {
        RedisUri uri = RedisUri.sentinels(addresses(sentinel.getNodes()), sentinel.getMaster())
                .withDatabase(sentinel.getDatabase());
        String password = sentinel.getPassword();
        return password == null || password.isEmpty()
                ? uri
                : uri.withSentinelLogin(Credentials.of(
                        Optional.ofNullable(sentinel.getUsername()).orElse(""), password));
    }

    private static List<RedisUri.Tcp> addresses(List<DataRedisConnectionDetails.Node> nodes) {
        return nodes.stream()
                .map(node -> new RedisUri.Tcp(node.host(), node.port()))
                .toList();
    }

    private static String user(DataRedisConnectionDetails details) {
        return Optional.ofNullable(details.getUsername()).orElse("");
    }

    /** Whether the address is that of a URL with the scheme {@code rediss}. */
    private static boolean usesTls(DataRedisConnectionDetails.Standalone server, @Nullable DataRedisProperties keys) {
        String url = keys == null ? null : keys.getUrl();
        return url != null
                && url.startsWith("rediss://")
                && RedisUri.parse(url).endpoint() instanceof RedisUri.Tcp(String host, int port)
                && host.equals(server.getHost())
                && (port == server.getPort() || server.getPort() < 0);
    }

    @Override
    public String toString() {
        return uri + " (from spring.data.redis.*)";
    }
}
