// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.AddressMap;
import io.millrace.client.AddressResolver;
import io.millrace.client.ClientOptions;
import io.millrace.client.CommandListener;
import io.millrace.client.CredentialsProvider;
import io.millrace.client.PoolOptions;
import io.millrace.client.PushListener;
import io.millrace.client.RedisUri;
import io.millrace.client.ReplyLimits;
import io.millrace.client.SocketOptions;
import io.millrace.client.TlsOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;

/**
 * Creates the options of the client. Each option of {@link ClientOptions} has a key, or a bean if its value is code. The
 * order: keys, then beans, then customizers.
 */
final class ClientOptionsFactory {

    private final RedisProperties keys;
    private final @Nullable SslBundles bundles;
    private final Beans beans;

    /** The beans that are options of the client. */
    record Beans(
            ObjectProvider<CredentialsProvider> credentials,
            ObjectProvider<AddressResolver> addressResolver,
            ObjectProvider<PushListener> pushListener,
            ObjectProvider<CommandListener> commandListener,
            ObjectProvider<ListenerFactory> listeners,
            ObjectProvider<ClientOptionsCustomizer> customizers) {}

    ClientOptionsFactory(RedisProperties keys, @Nullable SslBundles bundles, Beans beans) {
        this.keys = keys;
        this.bundles = bundles;
        this.beans = beans;
    }

    /**
     * Returns the options of the client for the server of {@code details}.
     *
     * @throws KeyException if a key is out of range, or if keys contradict each other
     */
    ClientOptions create(MillraceConnectionDetails details) {
        Optional<TlsOptions> tls = bundle(details);
        RedisUri uri = tls.isPresent() ? withTls(details.uri()) : details.uri();
        SettingKeys settings = new SettingKeys(RedisProperties.PREFIX);
        ClientOptions.Builder options = ClientOptions.builder(uri).connectLater(!keys.required());
        options.tls(serverName(tls.orElse(TlsOptions.DEFAULT)));
        applyTimes(settings, options);
        applyLimits(settings, options);
        options.addressMap(
                settings.build(() -> AddressMap.of(Objects.requireNonNullElse(keys.addressMap(), List.of()))));
        options.replyLimits(settings.build(this::replyLimits)).socket(settings.build(this::socket));
        applyBeans(uri, options);
        return settings.build(options::build);
    }

    private void applyTimes(SettingKeys settings, ClientOptions.Builder options) {
        settings.set("connect-timeout", keys.connectTimeout(), ClientOptions.CONNECT_TIMEOUT, options::connectTimeout);
        settings.set("command-timeout", keys.commandTimeout(), ClientOptions.COMMAND_TIMEOUT, options::commandTimeout);
        settings.set(
                "ping-after-silence",
                keys.pingAfterSilence(),
                ClientOptions.PING_AFTER_SILENCE,
                options::pingAfterSilence);
        options.reconnectDelay(
                settings.valueOf("reconnect-delay", keys.reconnectDelay(), ClientOptions.RECONNECT_DELAY),
                settings.valueOf("max-reconnect-delay", keys.maxReconnectDelay(), ClientOptions.MAX_RECONNECT_DELAY));
        settings.set("pool.max-idle", keys.pool().maxIdle(), PoolOptions.POOL_MAX_IDLE, options::poolMaxIdle);
    }

    private void applyLimits(SettingKeys settings, ClientOptions.Builder options) {
        settings.set("connections", keys.connections(), ClientOptions.CONNECTIONS, options::connections);
        settings.set("in-flight", keys.inFlight(), ClientOptions.IN_FLIGHT, options::inFlight);
        settings.set(
                "in-flight-bytes", bytes(keys.inFlightBytes()), ClientOptions.IN_FLIGHT_BYTES, options::inFlightBytes);
        settings.set("callbacks", keys.callbacks(), ClientOptions.CALLBACKS, options::callbacks);
        settings.set("pool.size", keys.pool().size(), PoolOptions.POOL_SIZE, options::poolSize);
        Optional.ofNullable(keys.protocol()).ifPresent(options::protocol);
        Optional.ofNullable(keys.overflow()).ifPresent(options::overflow);
        Optional.ofNullable(keys.fusion()).ifPresent(options::fusion);
        Optional.ofNullable(keys.name()).ifPresent(options::name);
    }

    private ReplyLimits replyLimits() {
        RedisProperties.ReplyLimitKeys limits = keys.replyLimits();
        SettingKeys settings = new SettingKeys(RedisProperties.PREFIX + ".reply-limits");
        return new ReplyLimits(
                settings.valueOf("bulk-bytes", size(limits.bulkBytes()), ReplyLimits.BULK_BYTES),
                settings.valueOf("elements", limits.elements(), ReplyLimits.ELEMENTS),
                settings.valueOf("line-bytes", size(limits.lineBytes()), ReplyLimits.LINE_BYTES),
                settings.valueOf("depth", limits.depth(), ReplyLimits.DEPTH));
    }

    private SocketOptions socket() {
        RedisProperties.SocketKeys socket = keys.socket();
        SettingKeys settings = new SettingKeys(RedisProperties.PREFIX + ".socket");
        return new SocketOptions(
                settings.valueOf("keep-alive-idle", socket.keepAliveIdle(), SocketOptions.KEEP_ALIVE_IDLE),
                settings.valueOf("keep-alive-interval", socket.keepAliveInterval(), SocketOptions.KEEP_ALIVE_INTERVAL),
                settings.valueOf("keep-alive-count", socket.keepAliveCount(), SocketOptions.KEEP_ALIVE_COUNT),
                settings.valueOf("send-buffer-bytes", size(socket.sendBufferBytes()), SocketOptions.SEND_BUFFER_BYTES),
                settings.valueOf(
                        "receive-buffer-bytes", size(socket.receiveBufferBytes()), SocketOptions.RECEIVE_BUFFER_BYTES));
    }

    private void applyBeans(RedisUri uri, ClientOptions.Builder options) {
        beans.credentials.ifUnique(options::credentials);
        beans.addressResolver.ifUnique(options::addressResolver);
        beans.pushListener.ifUnique(options::pushListener);
        List<CommandListener> listeners =
                new ArrayList<>(beans.commandListener.orderedStream().toList());
        beans.listeners.orderedStream().map(factory -> factory.listener(uri)).forEach(listeners::add);
        listeners.stream().reduce(CommandListener::andThen).ifPresent(options::commandListener);
        beans.customizers.orderedStream().forEach(customizer -> customizer.customize(options));
    }

    /**
     * TLS with a bundle: of the details, or of the key. The key does not apply to a bean of the application and to a
     * service connection, because these know whether their server has TLS.
     */
    private Optional<TlsOptions> bundle(MillraceConnectionDetails details) {
        if (details.sslBundle().isPresent()) {
            return details.sslBundle().map(BundleTls::of);
        }
        String name = keys.ssl().bundle();
        boolean ofKeys = details instanceof PropertiesConnectionDetails || details instanceof DataRedisDetails;
        return ofKeys && name != null && StringUtils.hasText(name)
                ? Optional.of(BundleTls.named(name, bundles))
                : Optional.empty();
    }

    private static RedisUri withTls(RedisUri uri) {
        if (uri.endpoint() instanceof RedisUri.Unix) {
            throw new KeyException(
                    RedisProperties.PREFIX + ".ssl.bundle is set, and the address " + uri
                            + " is a Unix socket without TLS",
                    "Remove the bundle, or name a TCP address.");
        }
        return uri.withTls();
    }

    private TlsOptions serverName(TlsOptions tls) {
        String name = keys.ssl().serverName();
        return name != null && StringUtils.hasText(name) ? tls.withServerName(name) : tls;
    }

    private static @Nullable Long bytes(@Nullable DataSize size) {
        return size == null ? null : size.toBytes();
    }

    /** The size as an integer. A larger size becomes the largest integer, which is out of each range. */
    private static @Nullable Integer size(@Nullable DataSize size) {
        return size == null ? null : Math.clamp(size.toBytes(), Integer.MIN_VALUE, Integer.MAX_VALUE);
    }
}
