// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Fusion;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Every method and every constructor of the option classes and of {@link RedisUri} rejects null at once. The message of
 * the exception contains the name of the parameter. The test finds all methods and constructors by reflection.
 */
class NullOptionsTest {

    private static final ClientOptions OPTIONS = ClientOptions.of(RedisUri.of("localhost", 6379));

    /** One sample object of each type. A sample is used as an argument, and as the object whose methods are called. */
    private static final Map<Class<?>, Object> SAMPLES = Map.ofEntries(
            Map.entry(int.class, 1),
            Map.entry(boolean.class, true),
            Map.entry(long.class, 1L << 16),
            Map.entry(String.class, "word"),
            Map.entry(char[].class, "word".toCharArray()),
            Map.entry(SSLContext.class, sslContext()),
            Map.entry(Supplier.class, (Supplier<SSLContext>) NullOptionsTest::sslContext),
            Map.entry(Path.class, Path.of("file.pem")),
            Map.entry(Duration.class, Duration.ofSeconds(1)),
            Map.entry(RedisUri.class, OPTIONS.uri()),
            Map.entry(RedisUri.Endpoint.class, new RedisUri.Tcp("localhost", 6_379)),
            Map.entry(CredentialsProvider.class, OPTIONS.credentials()),
            Map.entry(TlsOptions.class, TlsOptions.DEFAULT),
            Map.entry(Protocol.class, Protocol.RESP3),
            Map.entry(AddressMap.class, AddressMap.NONE),
            Map.entry(AddressResolver.class, AddressResolver.SYSTEM),
            Map.entry(ReplyLimits.class, ReplyLimits.DEFAULT),
            Map.entry(SocketOptions.class, SocketOptions.DEFAULT),
            Map.entry(PoolOptions.class, PoolOptions.DEFAULT),
            Map.entry(Overflow.class, Overflow.BLOCK),
            Map.entry(PushListener.class, PushListener.NONE),
            Map.entry(CommandListener.class, CommandListener.NONE),
            Map.entry(Set.class, Fusion.NONE),
            Map.entry(List.class, List.of(new RedisUri.Tcp("localhost", 26_379))),
            Map.entry(Credentials.class, Credentials.none()),
            Map.entry(BulkOptions.class, BulkOptions.DEFAULT),
            Map.entry(ClientOptions.Builder.class, ClientOptions.builder(OPTIONS.uri())));

    @Test
    void nullIsRejectedAtOnceWithTheNameOfTheParameter() {
        List<String> refusals = Stream.of(
                        ClientOptions.class,
                        ClientOptions.Builder.class,
                        BulkOptions.class,
                        TlsOptions.class,
                        SocketOptions.class,
                        PoolOptions.class,
                        Credentials.class,
                        RedisUri.class,
                        RedisUri.Tcp.class,
                        RedisUri.Unix.class,
                        RedisUri.Sentinels.class,
                        RedisUri.Cluster.class)
                .flatMap(NullOptionsTest::executables)
                .flatMap(executable -> refusals(executable).stream())
                .toList();

        assertThat(refusals)
                .containsExactlyInAnyOrder(
                        "new ClientOptions: uri",
                        "new ClientOptions: credentials",
                        "new ClientOptions: tls",
                        "new ClientOptions: protocol",
                        "new ClientOptions: addressMap",
                        "new ClientOptions: addressResolver",
                        "new ClientOptions: connectTimeout",
                        "new ClientOptions: commandTimeout",
                        "new ClientOptions: overflow",
                        "new ClientOptions: pingAfterSilence",
                        "new ClientOptions: pool",
                        "new ClientOptions: reconnectDelay",
                        "new ClientOptions: maxReconnectDelay",
                        "new ClientOptions: replyLimits",
                        "new ClientOptions: pushListener",
                        "new ClientOptions: commandListener",
                        "new ClientOptions: fusion",
                        "new ClientOptions: socket",
                        "new ClientOptions: name",
                        "ClientOptions.of: uri",
                        "ClientOptions.builder: uri",
                        "Builder.credentials: credentials",
                        "Builder.tls: tls",
                        "Builder.protocol: protocol",
                        "Builder.addressMap: addressMap",
                        "Builder.addressResolver: addressResolver",
                        "Builder.connectTimeout: connectTimeout",
                        "Builder.commandTimeout: commandTimeout",
                        "Builder.overflow: overflow",
                        "Builder.pingAfterSilence: pingAfterSilence",
                        "Builder.poolMaxIdle: poolMaxIdle",
                        "Builder.reconnectDelay: initial",
                        "Builder.reconnectDelay: max",
                        "Builder.replyLimits: replyLimits",
                        "Builder.pushListener: pushListener",
                        "Builder.commandListener: commandListener",
                        "Builder.fusion: fusion",
                        "Builder.socket: socket",
                        "Builder.name: name",
                        "new PoolOptions: poolMaxIdle",
                        "new SocketOptions: keepAliveIdle",
                        "new SocketOptions: keepAliveInterval",
                        "SocketOptions.withKeepAlive: idle",
                        "SocketOptions.withKeepAlive: interval",
                        "new BulkOptions: timeout",
                        "new BulkOptions: timeout",
                        "new BulkOptions: fusion",
                        "BulkOptions.withFusion: fusion",
                        "TlsOptions.trusting: newCaCertificate",
                        "TlsOptions.withCertificate: newCertificate",
                        "TlsOptions.withCertificate: newPrivateKey",
                        "TlsOptions.withCertificate: newCertificate",
                        "TlsOptions.withCertificate: newPrivateKey",
                        "TlsOptions.withCertificate: password",
                        "TlsOptions.withContext: newContext",
                        "TlsOptions.using: contexts",
                        "TlsOptions.withTrustStore: newTrustStore",
                        "TlsOptions.withTrustStore: password",
                        "TlsOptions.withKeyStore: newKeyStore",
                        "TlsOptions.withKeyStore: password",
                        "TlsOptions.withServerName: newServerName",
                        "Credentials.ofPassword: password",
                        "Credentials.of: user",
                        "Credentials.of: password",
                        "RedisUri.of: host",
                        "RedisUri.unix: socket",
                        "RedisUri.sentinels: sentinels",
                        "RedisUri.sentinels: primary",
                        "RedisUri.cluster: nodes",
                        "RedisUri.withEndpoint: other",
                        "RedisUri.withSentinelLogin: login",
                        "RedisUri.parse: text",
                        "RedisUri.withPassword: newPassword",
                        "RedisUri.withLogin: newUser",
                        "RedisUri.withLogin: newPassword",
                        "new Tcp: host",
                        "new Unix: path",
                        "new Sentinels: addresses",
                        "new Sentinels: primary",
                        "new Sentinels: login",
                        "new Cluster: nodes");
    }

    private static SSLContext sslContext() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("the JDK has no TLS", e);
        }
    }

    private static Stream<Executable> executables(Class<?> type) {
        return Stream.<Executable>concat(
                        Arrays.stream(type.getDeclaredConstructors()),
                        Arrays.stream(type.getDeclaredMethods())
                                .filter(method -> !method.getName().equals("equals")))
                .filter(executable -> Modifier.isPublic(executable.getModifiers()));
    }

    /**
     * Calls {@code executable} once for each parameter that is not primitive, with null for this parameter. Returns the
     * name of {@code executable} with the message of each exception.
     */
    private static List<String> refusals(Executable executable) {
        Class<?>[] types = executable.getParameterTypes();
        List<String> refusals = new ArrayList<>();
        for (int missing = 0; missing < types.length; missing++) {
            if (!types[missing].isPrimitive()) {
                @Nullable
                Object[] arguments =
                        Arrays.stream(types).map(NullOptionsTest::sample).toArray();
                arguments[missing] = null;
                refusals.add(name(executable) + ": " + refusal(executable, arguments));
            }
        }
        return refusals;
    }

    private static Object sample(Class<?> type) {
        return Objects.requireNonNull(SAMPLES.get(type), () -> "no sample of " + type);
    }

    private static String name(Executable executable) {
        String type = executable.getDeclaringClass().getSimpleName();
        return executable instanceof Method ? type + "." + executable.getName() : "new " + type;
    }

    private static String refusal(Executable executable, @Nullable Object[] arguments) {
        try {
            Object made = switch (executable) {
                case Constructor<?> constructor -> constructor.newInstance(arguments);
                case Method method -> method.invoke(SAMPLES.get(method.getDeclaringClass()), arguments);
            };
            return "none, but " + made;
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            return thrown instanceof NullPointerException ? String.valueOf(thrown.getMessage()) : "none, but " + thrown;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(executable + " cannot be called", e);
        }
    }
}
