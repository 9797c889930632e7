// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ServeArgumentsTest {

    @Test
    void argumentsBecomeKeys() {
        ServeArguments parsed = ServeArguments.parse(
                "-u",
                "redis://r:1",
                "--host=0.0.0.0",
                "--port",
                "0",
                "--token-file",
                "/t",
                "--config",
                "/c.yaml",
                "--data",
                "/d",
                "--allow-host",
                "a",
                "--allow-host=b",
                "--demo");

        assertThat(parsed.keys())
                .containsExactly(
                        "--millrace.redis.url=redis://r:1",
                        "--server.address=0.0.0.0",
                        "--server.port=0",
                        "--millrace.server.token-file=/t",
                        "--spring.config.additional-location=file:/c.yaml",
                        "--millrace.server.data=/d",
                        "--spring.profiles.active=demo",
                        "--millrace.server.allowed-hosts=a,b");
        assertThat(parsed.help()).isFalse();
    }

    @Test
    void relativeFilesBelongToTheWorkingFolder() {
        assertThat(ServeArguments.parse("--data", "d").keys())
                .containsExactly("--millrace.server.data=" + Path.of("d").toAbsolutePath());
    }

    @Test
    void unknownAndIncompleteArgumentsAreNamed() {
        assertThatThrownBy(() -> ServeArguments.parse("--token", "x")).hasMessage("unknown argument: --token");
        assertThatThrownBy(() -> ServeArguments.parse("--spring.profiles.active=x"))
                .hasMessage("unknown argument: --spring.profiles.active");
        assertThatThrownBy(() -> ServeArguments.parse("--port")).hasMessage("--port needs a value");
        assertThatThrownBy(() -> ServeArguments.parse("--port=")).hasMessage("--port needs a value");
        assertThat(ServeArguments.parse("--help").help()).isTrue();
    }
}
