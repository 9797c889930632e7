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

    /** Name of the user of {@link #setPassword}. */
    static final String USER = "app";

    private static final List<String> ADDRESSES = List.of("127.0.0.1", "127.0.0.2");

    private final Node[] nodes = new Node[2];
    private final int port;

    /** Index of the present primary. */
    private int primary;

    /** A server and a client of this server. */
    private record Node(EmbeddedRedis server, RedisClient admin) implements AutoCloseable {

        @Override
        public void close() {
            admin.close();
            // A server at another port than at its start does not end without a signal.
            server.kill();
            server.close();
        }
    }

    private ReplicatedServers() {
        EmbeddedRedis first = start(ADDRESSES.getFirst());
        this.port = first.port();
        nodes[0] = new Node(first, connect(firstUri()));
        startReplica(1);
    }

    static ReplicatedServers start() {
        return new ReplicatedServers();
    }

    private static EmbeddedRedis start(String address) {
        return EmbeddedRedis.start(EmbeddedOptions.defaults()
                .withConfig("repl-diskless-sync-delay 0", "busy-reply-threshold 1", "replica-announce-ip " + address));
    }

    private static RedisClient connect(RedisUri uri) {
        return RedisClient.connect(WatchedClients.options(uri).build());
    }

    private void startReplica(int index) {
        String address = ADDRESSES.get(index);
        EmbeddedRedis server = start(address);
        try (RedisClient client = connect(WatchedClients.uri(server))) {
            client.call(Command.of("CONFIG SET", "bind", address));
            client.call(Command.of("CONFIG SET", "port", port));
        }
        nodes[index] = new Node(server, connect(RedisUri.of(address, port)));
        // Only now, because a replica tells its primary the port at which it listens.
        nodes[index].admin.call(Command.of("REPLICAOF", ADDRESSES.get(primary), port));
        Eventually.await("the replica is in sync", () -> role(primary()).contains("state=online"));
    }

    RedisUri firstUri() {
        return RedisUri.of(ADDRESSES.get(0), port);
    }

    RedisUri secondUri() {
        return RedisUri.of(ADDRESSES.get(1), port);
    }

    /** Options for the host name with both addresses. */
    ClientOptions.Builder options() {
        return WatchedClients.options(RedisUri.of(HOST, port)).addressResolver(ReplicatedServers::addresses);
    }

    private static List<InetAddress> addresses(String host) throws UnknownHostException {
        return List.of(
                InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}),
                InetAddress.getByAddress(host, new byte[] {127, 0, 0, 2}));
    }

    /** A client of the server that is the primary at first. */
    RedisClient first() {
        return nodes[0].admin;
    }

    /** A client of the server that is the replica at first. */
    RedisClient second() {
        return nodes[1].admin;
    }

    /** A client of the present primary. */
    RedisClient primary() {
        return nodes[primary].admin;
    }

    /** Makes the second server the primary. The servers first replicate all writes. */
    void failOver() {
        changeRoles();
    }

    /** Makes the replica the primary, and the primary the replica. The servers first replicate all writes. */
    void changeRoles() {
        RedisClient before = primary();
        before.call(Command.of("FAILOVER"));
        primary = 1 - primary;
        Eventually.await(
                "the servers have changed their roles",
                () -> role(primary()).contains("role:master") && role(before).contains("role:slave"));
        Eventually.await("the replica is in sync", () -> role(primary()).contains("state=online"));
    }

    /** Kills the replica, and starts an empty server in its place. Waits until that server has all data. */
    void restartReplica() {
        int replica = 1 - primary;
        nodes[replica].close();
        startReplica(replica);
    }

    /** Ends all connections to both servers, except those of replication. */
    void cutConnections() {
        for (Node node : nodes) {
            node.admin.call(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));
        }
    }

    /** Both servers accept {@code password} for {@link #USER}, and no other password. */
    void setPassword(String password) {
        setUser("on", "resetpass", ">" + password, "~*", "&*", "+@all");
    }

    /** Both servers also accept {@code password}. */
    void addPassword(String password) {
        setUser(">" + password);
    }

    /** Both servers no longer accept {@code password}. */
    void removePassword(String password) {
        setUser("<" + password);
    }

    private void setUser(String... rules) {
        Object[] arguments = new Object[rules.length + 1];
        arguments[0] = USER;
        System.arraycopy(rules, 0, arguments, 1, rules.length);
        for (Node node : nodes) {
            node.admin.call(Command.of("ACL SETUSER", arguments));
        }
    }

    private static String role(RedisClient client) {
        return client.call(Server.info("replication"));
    }

    @Override
    public void close() {
        for (Node node : nodes) {
            node.close();
        }
    }
}
