// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A server with other keys {@code millrace.server.*} than the defaults. */
class ValueKeysTest {

    private static TestServer server;

    @BeforeAll
    static void startServer() {
        server = TestServer.start(
                "--millrace.server.values.ttl=50ms",
                "--millrace.server.values.stale-for=1h",
                "--millrace.server.values.timeout=2s",
                "--millrace.observation=timers",
                "--millrace.server.show-values=true");
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static String cacheStatus(RawAnswer answer) {
        return answer.header("cache-status").orElse("");
    }

    @Test
    void staleValueIsAHitWithANegativeTime() {
        assertThat(cacheStatus(server.call().get("/value/old"))).isEqualTo("Millrace; fwd=miss");

        Await.until(
                "the value is stale",
                () -> cacheStatus(server.call().get("/value/old")).matches("Millrace; hit; ttl=-\\d+; detail=stale"));
    }

    @Test
    void valueThatIsNotComputedInTimeIsA504() {
        RawAnswer answer = server.call().get("/value/held-late");

        assertThat(answer.status()).isEqualTo(504);
        assertThat(answer.body()).contains("\"type\":\"/problems/late\"");
    }

    @Test
    void entryIsShownWithItsValue() {
        String value = server.call().get("/value/shown").body();

        assertThat(server.call()
                        .json("/caches/value/entries/shown")
                        .get("value")
                        .asString())
                .isEqualTo(value);
    }

    /** Micrometer would write the address of Redis and the working folder. */
    @Test
    void metersHaveNoAddressAndNoPath() {
        server.call().get("/value/measured");

        String meters = server.call().get("/actuator/prometheus").body();

        assertThat(meters)
                .contains("db_client_operation_duration", "disk_free_bytes")
                .doesNotContain("server_address", "server_port", server.redis().host() + "\"")
                .doesNotContain(Path.of("").toAbsolutePath().toString());
    }
}
