// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SteadyRateTest {

    @Test
    void stalledServerDelaysAllCallsThatAreDueDuringTheStall() throws Exception {
        AtomicInteger commands = new AtomicInteger();
        Answer nullReply = Answer.reply("_\r\n");
        // At 400 calls per second the 100th call takes half a second. 200 calls become due before the reply to the
        // 100th call.
        Handler handler = Handler.afterHandshake(
                command -> commands.incrementAndGet() == 100 ? nullReply.delayedBy(Duration.ofMillis(500)) : nullReply);
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.parse(server.uri()))
                        .connections(1)
                        .build())) {

            SteadyRate.Measurement measurement = SteadyRate.measure(client, 400, Duration.ofSeconds(1));

            Histogram latencies = measurement.latencies();
            assertThat(measurement.failed()).isZero();
            assertThat(latencies.getTotalCount()).isEqualTo(400);
            assertThat(latencies.getMaxValue()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(490));
            long slowerThan100Millis =
                    latencies.getCountBetweenValues(TimeUnit.MILLISECONDS.toNanos(100), latencies.getMaxValue());
            assertThat(slowerThan100Millis).isGreaterThan(150);
        }
    }

    @Test
    void aCallWithoutAReplyHasNoLatency() throws Exception {
        AtomicInteger commands = new AtomicInteger();
        Handler handler = Handler.afterHandshake(command ->
                commands.incrementAndGet() <= 10 ? Answer.reply("_\r\n") : Answer.end(ConnectionEnd.SILENCE));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.parse(server.uri()))
                        .commandTimeout(Duration.ofSeconds(3))
                        .build())) {

            SteadyRate.Measurement measurement = SteadyRate.measure(client, 100, Duration.ofMillis(200));

            assertThat(measurement.latencies().getTotalCount()).isEqualTo(10);
            assertThat(measurement.failed()).isEqualTo(10);
        }
    }
}
