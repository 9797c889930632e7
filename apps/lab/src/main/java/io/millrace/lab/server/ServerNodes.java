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
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** One connection to each primary: one for a server that stands alone, several for a cluster. Used by one thread. */
final class ServerNodes implements AutoCloseable {

    /** By {@code host:port}. */
    private final Map<String, Jedis> nodes = new LinkedHashMap<>();

    /** Empty for a server that stands alone. */
    private Optional<SlotOwners> owners = Optional.empty();

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
        if (!target.cluster()) {
            nodes.put(target.address(), open(target));
            return;
        }
        SlotOwners asked = SlotOwners.ask(target);
        owners = Optional.of(asked);
        asked.primaries().forEach(node -> nodes.put(node.address(), open(node)));
    }

    /** Opens one connection. The caller closes the connection. */
    static Jedis open(Target target) {
        return openWithin(target.withTimeout(Target.LONG_TIMEOUT));
    }

    /** Opens one connection with the time limit of {@code target}. The caller closes the connection. */
    static Jedis openWithin(Target target) {
        try {
            var config = JedisClients.config(target);
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
        return owners.map(known -> node(known.of(key))).orElseGet(this::first);
    }

    private Jedis node(Target primary) {
        return Objects.requireNonNull(nodes.get(primary.address()));
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
