// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The timers of commands, read from the text of Prometheus. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CommandTimersTest {

    private static final String NAME = "db_client_operation_duration_seconds";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private final Scrape scrape = new Scrape();

    private RedisClient client() {
        return SERVER.client(options -> options.commandListener(new CommandTimers(scrape.meters, SERVER.uri())));
    }

    private String labels(String operation, String statusCode, String errorType) {
        return "{db_namespace=\"0\",db_operation_name=\"" + operation + "\",db_response_status_code=\"" + statusCode
                + "\",db_system_name=\"redis\",error_type=\"" + errorType
                + "\",server_address=\"127.0.0.1\",server_port=\""
                + SERVER.server().port() + "\"}";
    }

    private double count(String operation, String statusCode, String errorType) {
        return scrape.value(NAME + "_count" + labels(operation, statusCode, errorType));
    }

    @Test
    void commandsAreTimedWithTheAttributesOfOpenTelemetry() {
        RedisClient client = client();

        for (int i = 0; i < 3; i++) {
            client.call(Strings.set("secret-key", "secret-value"));
        }
        Throwable wrongType = catchThrowable(() -> client.call(Lists.size("secret-key")));
        SERVER.server().pause();
        Throwable timedOut = catchThrowable(() -> client.call(Strings.get("k").within(Duration.ofMillis(20))));
        SERVER.server().resume();

        assertThat(List.of(wrongType, timedOut)).doesNotContainNull();
        assertThat(count("SET", "none", "none")).isEqualTo(3);
        assertThat(scrape.value(NAME + "_sum" + labels("SET", "none", "none"))).isPositive();
        assertThat(count("LLEN", "WRONGTYPE", "WRONGTYPE")).isEqualTo(1);
        assertThat(count("GET", "none", "timed_out")).isEqualTo(1);
        assertThat(scrape.text()).doesNotContain("secret");
    }

    @Test
    void bucketsAreThoseOfOpenTelemetry() {
        client().call(Strings.set("key", "value"));

        assertThat(scrape.lines(NAME + "_bucket"))
                .extracting(line -> line.replaceAll(".*le=\"([^\"]+)\".*", "$1"))
                .containsExactly("0.001", "0.005", "0.01", "0.05", "0.1", "0.5", "1.0", "5.0", "10.0", "+Inf");
    }

    @Test
    void commandsOfAPipelineAreTimedOneByOne() {
        RedisClient client = client();
        var pipeline = client.pipeline();
        for (int i = 0; i < 50; i++) {
            pipeline.add(Strings.increment("counter"));
        }

        assertThat(pipeline.run()).hasSize(50);

        assertThat(count("INCRBY", "none", "none")).isEqualTo(50);
    }

    @Test
    void errorOfAScriptDoesNotBecomeATag() {
        RedisClient client = client();
        Script script = Script.of("return redis.error_reply('Ada lives in ' .. KEYS[1])");

        Throwable failure = catchThrowable(() -> client.call(Scripts.eval(script, List.of("secret-key"), List.of())));

        assertThat(failure).isNotNull();
        assertThat(count("EVAL", "other", "other")).isEqualTo(1);
        assertThat(scrape.text()).doesNotContain("Ada").doesNotContain("secret");
    }

    @Test
    void numberOfTimersIsLimited() {
        RedisClient client = client();

        for (int i = 0; i < CommandTimers.MAX_TIMERS + 50; i++) {
            String name = "UNKNOWN" + i;
            assertThat(catchThrowable(() -> client.call(Command.of(name)))).isNotNull();
        }

        assertThat(scrape.lines(NAME + "_count")).hasSize(CommandTimers.MAX_TIMERS + 1);
        assertThat(count("other", "other", "other")).isEqualTo(50);
    }
}
