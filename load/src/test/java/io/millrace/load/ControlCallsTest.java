// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class ControlCallsTest {

    @Test
    void limitIsThePatienceAndAtLeastTwoSeconds() {
        Duration hour = Duration.ofHours(1);
        LoadOptions.Builder brief = LoadOptions.builder().timeout(Duration.ofSeconds(1));
        Handler handler = Handler.afterHandshake(command -> Answer.reply("+OK\r\n"));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = RedisClient.connect(ClientOptions.of(RedisUri.parse(server.uri())))) {
            assertThat(ControlCalls.of(client, brief.patience(hour).build(), new CancelSignal())
                            .limit())
                    .isEqualTo(hour);
            assertThat(ControlCalls.of(client, brief.patience(Duration.ZERO).build(), new CancelSignal())
                            .limit())
                    .isEqualTo(Duration.ofSeconds(2));
        }
    }
}
