// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.server.api.ValueKeys;
import io.millrace.server.gate.GateOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The names of {@code --allow-host}. */
class AllowedHostTest {

    private static GateOptions options(String host) {
        Duration second = Duration.ofSeconds(1);
        ValueKeys values = new ValueKeys(second, second, second, second, second, 0);
        ServerKeys keys = new ServerKeys(null, List.of(host), null, false, values);
        return TokenReader.options(keys, null, true, false, second);
    }

    /** The header {@code Host} never has such a name, so each request would be refused with 421. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "box.example:8443",
                "https://box.example",
                "box.example/",
                "fd00::1",
                "[fd00::1]:80",
                "[]",
                "*.example",
                "box..example",
                ".example",
                "bücher.example"
            })
    void nameThatHostCannotHaveIsRefused(String host) {
        assertThatThrownBy(() -> options(host))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("\"" + host + "\"")
                .hasMessageContaining("without a port");
    }

    @ParameterizedTest
    @ValueSource(strings = {"box", "Box.example", "box.example.", "my_box-1", "10.0.0.7", "[fd00::1]"})
    void nameThatHostCanHaveIsAccepted(String host) {
        assertThat(options(host).allowedHosts()).hasSize(1);
    }
}
