// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.AddressMap;
import io.millrace.client.AddressResolver;
import io.millrace.client.ClientOptions;
import io.millrace.client.CommandListener;
import io.millrace.client.Credentials;
import io.millrace.client.CredentialsProvider;
import io.millrace.client.EndedCommand;
import io.millrace.client.Overflow;
import io.millrace.client.PoolOptions;
import io.millrace.client.Protocol;
import io.millrace.client.PushListener;
import io.millrace.client.RedisUri;
import io.millrace.client.ReplyLimits;
import io.millrace.client.Setting;
import io.millrace.client.SocketOptions;
import io.millrace.client.command.Fusion;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests that each option of the client has a key, or a bean. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClientKeysTest {

    /** The options that are beans, because their values are code. {@code uri} and {@code tls} have tests of their own. */
    private static final Set<String> BEANS =
            Set.of("credentials", "addressResolver", "pushListener", "commandListener", "uri", "tls", "connectLater");

    private final ApplicationContextRunner runner = TestRunners.withoutServer();

    static Stream<Arguments> keys() {
        return Stream.of(
                key("connect-timeout=3s", ClientOptions::connectTimeout, Duration.ofSeconds(3)),
                key("command-timeout=4s", ClientOptions::commandTimeout, Duration.ofSeconds(4)),
                key("connections=3", ClientOptions::connections, 3),
                key("in-flight=100", ClientOptions::inFlight, 100),
                key("in-flight-bytes=2MB", ClientOptions::inFlightBytes, 2L << 20),
                key("overflow=refuse", ClientOptions::overflow, Overflow.REFUSE),
                key("ping-after-silence=0s", ClientOptions::pingAfterSilence, Duration.ZERO),
                key("protocol=resp2", ClientOptions::protocol, Protocol.RESP2),
                key("pool.size=7", options -> options.pool().size(), 7),
                key("pool.max-idle=8s", options -> options.pool().maxIdle(), Duration.ofSeconds(8)),
                key("callbacks=50", ClientOptions::callbacks, 50),
                key("reconnect-delay=20ms", ClientOptions::reconnectDelay, Duration.ofMillis(20)),
                key("max-reconnect-delay=2s", ClientOptions::maxReconnectDelay, Duration.ofSeconds(2)),
                key(
                        "reply-limits.bulk-bytes=1MB",
                        options -> options.replyLimits().bulkBytes(),
                        1 << 20),
                key(
                        "reply-limits.elements=2000",
                        options -> options.replyLimits().elements(),
                        2_000),
                key(
                        "reply-limits.line-bytes=2KB",
                        options -> options.replyLimits().lineBytes(),
                        2_048),
                key("reply-limits.depth=9", options -> options.replyLimits().depth(), 9),
                key(
                        "address-map=10.0.0.7:7000=nat:17000,node=nat",
                        ClientOptions::addressMap,
                        AddressMap.of(List.of("10.0.0.7:7000=nat:17000", "node=nat"))),
                key("fusion=set,get", ClientOptions::fusion, Set.of(Fusion.SET, Fusion.GET)),
                key("fusion=", ClientOptions::fusion, Fusion.NONE),
                key("socket.keep-alive-idle=9s", options -> options.socket().keepAliveIdle(), Duration.ofSeconds(9)),
                key(
                        "socket.keep-alive-interval=5s",
                        options -> options.socket().keepAliveInterval(),
                        Duration.ofSeconds(5)),
                key("socket.keep-alive-count=5", options -> options.socket().keepAliveCount(), 5),
                key("socket.send-buffer-bytes=64KB", options -> options.socket().sendBufferBytes(), 1 << 16),
                key(
                        "socket.receive-buffer-bytes=32KB",
                        options -> options.socket().receiveBufferBytes(),
                        1 << 15),
                key("name=shop", ClientOptions::name, "shop"));
    }

    private static Arguments key(String pair, Function<ClientOptions, Object> option, Object expected) {
        return Arguments.of("millrace.redis." + pair, option, expected);
    }

    @ParameterizedTest
    @MethodSource("keys")
    void valueOfAKeyIsAnOptionOfTheClient(String pair, Function<ClientOptions, Object> option, Object expected) {
        runner.withPropertyValues(pair)
                .run(context -> assertThat(option.apply(context.getBean(ClientOptions.class)))
                        .isEqualTo(expected));
    }

    @Test
    void eachOptionOfTheClientHasAKeyOrABean() {
        Stream<String> options = Stream.of(
                        ClientOptions.class, PoolOptions.class, ReplyLimits.class, SocketOptions.class)
                .flatMap(type -> Arrays.stream(type.getRecordComponents()).map(RecordComponent::getName))
                .filter(name -> !Set.of("pool", "replyLimits", "socket").contains(name))
                .filter(name -> !BEANS.contains(name));

        Set<String> tested =
                Set.copyOf(keys().map(arguments -> (String) arguments.get()[0])
                        .map(pair -> pair.substring(pair.lastIndexOf('.', pair.indexOf('=')) + 1, pair.indexOf('=')))
                        .map(ClientKeysTest::camelCase)
                        .toList());
        assertThat(options).isNotEmpty().allSatisfy(option -> assertThat(tested).contains(option));
    }

    private static String camelCase(String key) {
        StringBuilder name = new StringBuilder();
        for (String word : key.split("-", -1)) {
            name.append(name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return name.toString();
    }

    @Test
    void withoutKeysTheOptionsAreTheDefaultsOfTheClient() {
        runner.run(context -> {
            ClientOptions expected = ClientOptions.builder(RedisUri.of("127.0.0.1", 1))
                    .connectLater(true)
                    .build();

            assertThat(context.getBean(ClientOptions.class)).isEqualTo(expected);
        });
    }

    static Stream<Arguments> settingsOfTheClient() {
        return SettingsOfKeys.ALL.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("millrace.redis."))
                .map(entry -> Arguments.of(entry.getKey(), entry.getValue()));
    }

    @ParameterizedTest
    @MethodSource("settingsOfTheClient")
    void valueOutOfRangeFailsTheStartWithTheKeyAndTheRange(String key, Setting<?> setting) {
        String tooLarge = switch (setting.unit()) {
            case TIME, TIME_OR_ZERO -> "9999d";
            case BYTES -> "9999GB";
            case COUNT, NUMBER, FRACTION -> "2147483647";
        };

        runner.withPropertyValues(key + "=" + tooLarge)
                .run(context -> assertThat(TestRunners.description(context))
                        .startsWith(key + "=")
                        .contains("is out of range")
                        .doesNotContain("\n"));
    }

    @Test
    void optionsThatContradictEachOtherFailTheStartWithTheirPrefix() {
        runner.withPropertyValues("millrace.redis.reconnect-delay=10s", "millrace.redis.max-reconnect-delay=1s")
                .run(context ->
                        assertThat(TestRunners.description(context)).contains("millrace.redis.*", "maxReconnectDelay"));
        runner.withPropertyValues("millrace.redis.name=two words")
                .run(context -> assertThat(TestRunners.description(context)).contains("millrace.redis.*", "name"));
    }

    @Test
    void beansOfTheApplicationAreOptions() {
        CredentialsProvider credentials = () -> Credentials.ofPassword("secret");
        AddressResolver resolver = host -> List.of(InetAddress.getLoopbackAddress());
        PushListener pushes = PushListener.NONE;
        CommandListener commands = ended -> {};

        runner.withBean(CredentialsProvider.class, () -> credentials)
                .withBean(AddressResolver.class, () -> resolver)
                .withBean(PushListener.class, () -> pushes)
                .withBean(CommandListener.class, () -> commands)
                .run(context -> {
                    ClientOptions options = context.getBean(ClientOptions.class);
                    assertThat(options.credentials()).isSameAs(credentials);
                    assertThat(options.addressResolver()).isSameAs(resolver);
                    assertThat(options.pushListener()).isSameAs(pushes);
                    assertThat(options.commandListener()).isSameAs(commands);
                });
    }

    @Test
    void listenersOfTheApplicationAndOfMetricsBothReceiveCommands() {
        Counting own = new Counting(new AtomicInteger());
        Counting metrics = new Counting(new AtomicInteger());

        runner.withBean(CommandListener.class, () -> own)
                .withBean(ListenerFactory.class, () -> uri -> metrics)
                .run(context -> {
                    Object unused = context.getBean(ClientOptions.class)
                            .commandListener()
                            .submitted("GET");
                });

        assertThat(own.commands.get()).isPositive();
        assertThat(metrics.commands.get()).isPositive();
    }

    /** Counts the commands that were submitted. */
    private record Counting(AtomicInteger commands) implements CommandListener {

        @Override
        public Object submitted(String name) {
            return commands.incrementAndGet();
        }

        @Override
        public void ended(EndedCommand command) {}
    }

    @Test
    void customizersOverrideKeysInTheirOrder() {
        runner.withPropertyValues("millrace.redis.name=key", "millrace.redis.connections=5")
                .withUserConfiguration(TwoCustomizers.class)
                .run(context -> {
                    ClientOptions options = context.getBean(ClientOptions.class);
                    assertThat(options.name()).isEqualTo("last");
                    assertThat(options.connections()).isEqualTo(5);
                });
    }

    @Test
    void settingsOfAllKeysExist() {
        assertThat(SettingsOfKeys.text(ReplyLimits.DEPTH, 8)).isEqualTo("8");
        assertThat(SettingsOfKeys.text(ClientOptions.IN_FLIGHT_BYTES, 8L << 20)).isEqualTo("8MB");
        assertThat(SettingsOfKeys.text(ClientOptions.COMMAND_TIMEOUT, Duration.ofSeconds(90)))
                .isEqualTo("90s");
        assertThat(SettingsOfKeys.text(PoolOptions.POOL_MAX_IDLE, Duration.ofMinutes(5)))
                .isEqualTo("5m");
        assertThat(SettingsOfKeys.text(SocketOptions.SEND_BUFFER_BYTES, 0)).isEqualTo("0B");
    }
}
