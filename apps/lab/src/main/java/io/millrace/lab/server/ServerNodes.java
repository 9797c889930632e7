// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

import io.millrace.lab.client.Target;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.JedisClusterCRC16;

/** One connection to each primary: one for a server that stands alone, several for a cluster. Used by one thread. */
final class ServerNodes implements AutoCloseable {

    private static final int REPLY_MILLIS = (int) Duration.ofMinutes(2).toMillis();

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
        var config = DefaultJedisClientConfig.builder()
                .user(target.username().orElse(null))
                .password(target.password().orElse(null))
                .database(target.database())
                .socketTimeoutMillis(REPLY_MILLIS);
        if (target.socket().isPresent()) {
            Path path = target.socket().get();
            return new Jedis(
                    () -> {
                        try {
                            return new UnixSocket(path);
                        } catch (IOException e) {
                            throw new JedisConnectionException("cannot connect to the Unix socket " + path, e);
                        }
                    },
                    config.build());
        }
        target.certificate().ifPresent(file -> config.sslOptions(trusting(file)));
        return new Jedis(new HostAndPort(target.host(), target.port()), config.build());
    }

    /** TLS that trusts the certificates in a PEM file and checks the name of the host. */
    private static SslOptions trusting(Path file) {
        char[] password = "in memory".toCharArray();
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("authority-" + store.size(), certificate);
            }
            var bytes = new ByteArrayOutputStream();
            store.store(bytes, password);
            return SslOptions.builder()
                    .trustStoreType("PKCS12")
                    .truststore(() -> new ByteArrayInputStream(bytes.toByteArray()), password)
                    .sslVerifyMode(SslVerifyMode.FULL)
                    .build();
        } catch (IOException | GeneralSecurityException e) {
            throw new LabException(
                    "the certificate cannot be used: file=" + file + ", cause=" + e.getMessage()
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
}
