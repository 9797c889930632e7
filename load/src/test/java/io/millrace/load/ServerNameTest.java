// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Server;
import io.millrace.load.target.HashTarget;
import io.millrace.testkit.NoThreadLeft;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The name of a real server in the report. {@code make soak} runs the tests of the loader also with Valkey. */
@ExtendWith(NoThreadLeft.class)
class ServerNameTest {

    /** Whether the server of the tests must be Valkey. */
    private static final boolean VALKEY = Boolean.getBoolean("millrace.valkey");

    @Test
    void reportNamesTheServerAndItsVersion() {
        try (TestRedis redis = TestRedis.start();
                RedisClient client = RedisClient.connect(redis.options())) {
            String info = client.call(Server.info("server"));

            LoadReport report = new Loader(redis.options())
                    .run(new LoadPlan(TestRows.count(1), HashTarget.of("k:{id}"), LoadOptions.defaults()), event -> {});

            boolean valkey = info.contains("valkey_version:");
            LoadReport.Server server = report.server().orElseThrow();
            assertThat(valkey || !VALKEY).as(info).isTrue();
            assertThat(server.name()).isEqualTo(valkey ? "Valkey" : "Redis");
            assertThat(info).contains((valkey ? "valkey" : "redis") + "_version:" + server.version());
        }
    }
}
