// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * A real primary on 127.0.0.1 and its real replica on 127.0.0.2, on the same port. The host name {@link #HOST} has both
 * addresses, in this order.
 */
final class ReplicatedServers implements AutoCloseable {

    static final String HOST = "failover.test";

    private static final String SECOND = "127.0.0.2";

    private final EmbeddedRedis first;
    private final EmbeddedRedis second;
    private final RedisClient firstAdmin;
    private final RedisClient secondAdmin;

    private ReplicatedServers(EmbeddedRedis first, EmbeddedRedis second) {
        this.first = first;
        this.second = second;
        this.firstAdmin = RedisClient.connect(WatchedClients.options(firstUri()).build());
        this.secondAdmin =
                RedisClient.connect(WatchedClients.options(secondUri()).build());
    }

    static ReplicatedServers start() {
        EmbeddedOptions options = EmbeddedOptions.defaults()
                .withConfig("repl-diskless-sync-delay 0")
                .withConfig("busy-reply-threshold 1");
        EmbeddedRedis first = EmbeddedRedis.start(options);
        EmbeddedRedis second = EmbeddedRedis.start(options.withConfig("replica-announce-ip " + SECOND));
        String port = Integer.toString(first.port());
        try (RedisClient client = RedisClient.connect(
                WatchedClients.options(WatchedClients.uri(second)).build())) {
            client.call(Command.of("CONFIG SET", "bind", SECOND));
            client.call(Command.of("CONFIG SET", "port", port));
        }
        ReplicatedServers servers = new ReplicatedServers(first, second);
        servers.secondAdmin.call(Command.of("REPLICAOF", first.host(), port));
        Eventually.await("the replica is in sync", () -> isOnline(servers.firstAdmin));
        return servers;
    }

    private static boolean isOnline(RedisClient primary) {
        return primary.call(Server.info("replication")).contains("state=online");
    }

    RedisUri firstUri() {
        return RedisUri.of(first.host(), first.port());
    }

    RedisUri secondUri() {
        return RedisUri.of(SECOND, first.port());
    }

    /** Options for the host name with both addresses. */
    ClientOptions.Builder options() {
        return WatchedClients.options(RedisUri.of(HOST, first.port())).addressResolver(ReplicatedServers::addresses);
    }

    private static List<InetAddress> addresses(String host) throws UnknownHostException {
        return List.of(
                InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}),
                InetAddress.getByAddress(host, new byte[] {127, 0, 0, 2}));
    }

    /** A client of the server that is the primary at first. */
    RedisClient first() {
        return firstAdmin;
    }

    /** A client of the server that is the replica at first. */
    RedisClient second() {
        return secondAdmin;
    }

    /** Makes the second server the primary. The servers first replicate all writes. */
    void failOver() {
        firstAdmin.call(Command.of("FAILOVER"));
        Eventually.await(
                "the servers have changed their roles",
                () -> role(secondAdmin).contains("role:master")
                        && role(firstAdmin).contains("role:slave"));
    }

    private static String role(RedisClient client) {
        return client.call(Server.info("replication"));
    }

    @Override
    public void close() {
        firstAdmin.close();
        secondAdmin.close();
        second.close();
        first.close();
    }
}
