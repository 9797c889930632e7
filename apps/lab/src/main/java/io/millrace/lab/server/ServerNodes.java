// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import io.millrace.lab.client.JedisClients;
import io.millrace.lab.client.Target;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.JedisClusterCRC16;

/** One connection to each primary: one for a server that stands alone, several for a cluster. Used by one thread. */
final class ServerNodes implements AutoCloseable {

    /** By {@code host:port}. */
    private final Map<String, Jedis> nodes = new LinkedHashMap<>();

    /** By the first slot of a range of slots. Empty for a server that stands alone. */
    private final TreeMap<Integer, Jedis> bySlot = new TreeMap<>();

    private ServerNodes() {}

    static ServerNodes connect(Target target) {
        var nodes = new ServerNodes();
        try {
            nodes.connectAll(target);
            return nodes;
        } catch (RuntimeException e) {
            nodes.close();
            throw e;
        }
    }

    private void connectAll(Target target) {
        Jedis first = open(target);
        if (!target.cluster()) {
            nodes.put(target.address(), first);
            return;
        }
        try (first) {
            for (Object range : (List<?>) first.sendCommand(Protocol.Command.CLUSTER, "SLOTS")) {
                addRange(target, (List<?>) range);
            }
        }
        if (nodes.isEmpty()) {
            throw new LabException("the cluster has no slots: target=" + target + ". Assign the slots to nodes first.");
        }
    }

    /** Adds one entry of {@code CLUSTER SLOTS}: first slot, last slot, primary, replicas. */
    private void addRange(Target target, List<?> range) {
        List<?> primary = (List<?>) range.get(2);
        String host = new String((byte[]) primary.get(0), StandardCharsets.UTF_8);
        int port = Math.toIntExact((Long) primary.get(1));
        Target node = target.at(host.isEmpty() ? target.host() : host, port);
        bySlot.put(Math.toIntExact((Long) range.get(0)), nodes.computeIfAbsent(node.address(), address -> open(node)));
    }

    /** Opens one connection. The caller closes the connection. */
    static Jedis open(Target target) {
        try {
            var config = JedisClients.config(target.withTimeout(Target.LONG_TIMEOUT));
            return target.socket().isEmpty()
                    ? new Jedis(new HostAndPort(target.host(), target.port()), config)
                    : new Jedis(() -> new UnixSocket(target), config);
        } catch (IOException | GeneralSecurityException e) {
            throw new LabException(
                    "the certificate cannot be used: target=" + target + ", cause=" + e.getMessage()
                            + ". Name a PEM file with the certificate of the authority.",
                    e);
        }
    }

    Collection<Jedis> all() {
        return nodes.values();
    }

    Jedis first() {
        return all().iterator().next();
    }

    /** The node that holds {@code key}. */
    Jedis of(String key) {
        return bySlot.isEmpty()
                ? first()
                : bySlot.floorEntry(JedisClusterCRC16.getSlot(key)).getValue();
    }

    @Override
    public void close() {
        all().forEach(Jedis::close);
    }

    /** A connected Unix socket as the {@link Socket} that Jedis needs. Has no read timeout. Used by one thread. */
    private static final class UnixSocket extends Socket {

        private final SocketChannel channel;

        UnixSocket(Target target) {
            Path path = target.socket().orElseThrow();
            try {
                this.channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
            } catch (IOException e) {
                throw new JedisConnectionException("cannot connect to the Unix socket " + path, e);
            }
        }

        @Override
        public InputStream getInputStream() {
            return Channels.newInputStream(channel);
        }

        @Override
        public OutputStream getOutputStream() {
            return Channels.newOutputStream(channel);
        }

        @Override
        public boolean isConnected() {
            return channel.isOpen();
        }

        @Override
        public boolean isBound() {
            return true;
        }

        @Override
        public void setSoTimeout(int timeoutMillis) {} // A channel has no read timeout.

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
