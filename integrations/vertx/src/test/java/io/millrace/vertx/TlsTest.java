// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisUri;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.TlsOptions;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.TestCertificates;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests commands, streams and subscriptions over TLS. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TlsTest {

    @TempDir
    private static Path folder;

    @RegisterExtension
    final TestVertx test = new TestVertx();

    @Test
    void commandsStreamsAndSubscriptionsWorkOverTls() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        Path certificate = certificates.certificate("valid", "ip:127.0.0.1", "-1d", 2);
        try (EmbeddedRedis server = EmbeddedRedis.start(EmbeddedOptions.defaults()
                .withTls(new EmbeddedOptions.Tls(certificate, certificates.key(), certificates.authority(), true)))) {
            RedisUri uri =
                    RedisUri.of("127.0.0.1", server.tlsPort().orElseThrow()).withTls();
            TlsOptions tls = TlsOptions.DEFAULT
                    .trusting(certificates.authority())
                    .withCertificate(certificate, certificates.key());

            VertxRedis redis = test.onEventLoop(() -> VertxRedis.connect(
                    test.vertx(), TestVertx.options(uri).tls(tls).build()));

            test.onEventLoop(() -> new CountingSource(test.vertx().getOrCreateContext(), 10_000)
                    .commands(number -> Strings.set("k" + number % 100, "v" + number))
                    .pipeTo(redis.sink()));
            assertThat(test.onEventLoop(() -> redis.send(Strings.get("k99")))).contains("v9999");
            MessageStream stream = test.onEventLoop(() -> redis.subscribe(SubscribeOptions.channels("c")));
            assertThat(stream.subscription().isOpen()).isTrue();
            TestVertx.await(redis.close());
            assertThat(stream.subscription().isOpen()).isFalse();

            assertThatThrownBy(() -> test.onEventLoop(() -> VertxRedis.connect(test.vertx(), uri)))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("TLS");
        }
    }
}
