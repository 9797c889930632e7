// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class HyperLogLogsTest {

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    HyperLogLogsTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void repeatedElementIsCountedOnlyOnce() {
        assertThat(redis.run(HyperLogLogs.add("a", "x", "y"))).isTrue();
        assertThat(redis.run(HyperLogLogs.add("a", "x"))).isFalse();
        assertThat(redis.run(HyperLogLogs.add("b", "y", "z"))).isTrue();
        assertThat(redis.run(HyperLogLogs.count("a"))).isEqualTo(2);
        assertThat(redis.run(HyperLogLogs.count("a", "b"))).isEqualTo(3);
        assertThat(redis.run(HyperLogLogs.merge("all", "a", "b"))).isEqualTo("OK");
        assertThat(redis.run(HyperLogLogs.count("all"))).isEqualTo(3);
    }
}
