// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {

    private static final String SECRET = "s3cret-mark";

    private static final StructType SCHEMA =
            new StructType().add("id", DataTypes.LongType).add("name", DataTypes.StringType);

    /** Options with a server, a key and a type, and with {@code pairs} of name and value. An empty value removes an option. */
    private static JobPlan plan(String... pairs) {
        Map<String, String> options =
                new HashMap<>(Map.of("uri", "redis://127.0.0.1:1", "key", "u:{id}", "as", "hash"));
        for (int i = 0; i < pairs.length; i += 2) {
            options.put(pairs[i], pairs[i + 1]);
        }
        options.values().removeIf(String::isEmpty);
        return JobPlan.of("q", WriteOptions.of(options), SCHEMA);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            ttlFeild=name | unknown option: ttlFeild. Did you mean ttlField?
            swap=true | unknown option: swap. Legal: key, as, value
            key= | option key is missing: the key of a row, such as user:{id}.
            as=hsah | 'hsah' is an unknown type. Legal: bitmap, hash, json
            key=u:{nr} | nr
            key=u:{id | unpaired brace
            score=id | option score is not for as=hash. Remove it.
            value=name | option value needs option field.
            connections=65 | connections
            inFlightBytes=8PB | '8PB' is not a size
            ttl=1 | '1' is not a duration
            ttlJitter=10% | jitter needs an expiry
            verify=some | 'some' is not a valid share
            replaceRow=yes | 'yes' is not true or false.
            distribute=hash | 'hash' is unknown. Legal: key, none.
            orderBy=age | there is no column age. The columns are id, name.
            uri= | option uri is missing
            host=a | name the server by one of uri, socket, or host and port
            user=ann | user ann has no password
            cacert=/ca.pem | have a meaning only with tls or a rediss:// URI
            database=1x | option database: '1x' is not a whole number
            map=a:1 | does not map an address: there is no '='
            sentinelUser=ann | only with a redis-sentinel:// URI
            as=list | would be in the list twice: key=u:{id}. Choose another type, or accept
            as=stream | would be in the stream twice
            delivery=exactly-once | 'exactly-once' is unknown. Legal: at-least-once.
            """)
    void optionIsRefusedWithItsName(String option, String message) {
        String[] pair = option.split("=", 2);

        assertThatThrownBy(() -> plan(pair[0].strip(), pair[1].strip()))
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining(message.strip());
    }

    @Test
    void optionsThatDoNotFitTheServerAreRefusedWithTheirNames() {
        assertThatThrownBy(() -> plan("uri", "redis-cluster://a:1", "database", "1"))
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining("option database: ");
        assertThatThrownBy(() -> plan("uri", "", "socket", "/run/redis.sock", "tls", "true"))
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining("option tls: ");
    }

    @Test
    void repeatedRowsOfAListCanBeAccepted() {
        assertThat(plan("as", "list", "delivery", "at-least-once").target().type())
                .isEqualTo("list");
    }

    @Test
    void passwordInTheUriIsRefusedAndNotShown() {
        for (String uri : List.of(
                "redis://:" + SECRET + "@a:1",
                "redis://u:" + SECRET + "@a:badport",
                "redis://" + SECRET + "@a:1",
                "redis-cluster://" + SECRET + "@a:1,b:1",
                "redis-sentinel://" + SECRET + "@a:1,b:1/0#name",
                "unix://" + SECRET + "@/run/redis.sock",
                "redis://:" + SECRET + "/with-slash@a:1",
                "redis://a:1?password=" + SECRET)) {
            assertThatThrownBy(() -> plan("uri", uri))
                    .isInstanceOf(SparkLoadException.class)
                    .hasMessageContaining("option uri contains a password")
                    .hasMessageNotContaining(SECRET);
        }
    }

    @Test
    void optionsOfSparkAreAcceptedAndNotListed() {
        assertThat(plan("queryName", "people", "checkpointLocation", "/c")).hasToString(plan() + "");

        assertThatThrownBy(() -> plan("swap", "true"))
                .hasMessageContaining("Legal: key,")
                .hasMessageNotContaining("queryName")
                .hasMessageNotContaining("checkpointLocation");
    }

    @Test
    void passwordComesFromAnOptionAFileOrTheEnvironment(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("password"), SECRET + "\nsecond line\n");
        Map<String, String> server = Map.of("uri", "redis://a:1");
        Map<String, String> withFile = new HashMap<>(server);
        withFile.put("passwordFile", file.toString());

        ServerChoice option =
                ServerChoice.of(WriteOptions.of(Map.of("uri", "redis://a:1", "password", SECRET)), name -> "unused");
        ServerChoice fromFile = ServerChoice.of(WriteOptions.of(withFile), name -> null);
        ServerChoice environment =
                ServerChoice.of(WriteOptions.of(server), name -> name.equals("REDISCLI_AUTH") ? SECRET : null);

        assertThat(option).isEqualTo(fromFile).isEqualTo(environment).hasSameHashCodeAs(fromFile);
        assertThat(option.clientOptions().uri().password()).contains(SECRET);
    }

    @Test
    void textOfAPlanContainsNoSecret() {
        JobPlan plan = plan("password", SECRET, "user", "ann");

        assertThat(plan + " " + plan.given() + plan.server() + new AttemptFactory(plan, Optional.empty())
                        + new JobWrite(plan, false).description()
                        + plan.server().login())
                .doesNotContain(SECRET)
                .contains("redis://127.0.0.1:1 hash u:{id}");
    }

    @Test
    void orderOfRowsIsRefusedWithSpeculation() {
        ServerCheck.checkOrder(plan(), true);
        ServerCheck.checkOrder(plan("orderBy", "id"), false);

        assertThatThrownBy(() -> ServerCheck.checkOrder(plan("orderBy", "id"), true))
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining("option orderBy cannot be used with spark.speculation=true");
    }

    @Test
    void tooManyConnectionsAreRefusedWithTheSum() {
        JobPlan plan = plan("connections", "4");

        ServerCheck.checkConnections(plan, 500, 1);
        ServerCheck.checkConnections(plan, 100, 5);
        assertThatThrownBy(() -> ServerCheck.checkConnections(plan, 101, 5))
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining("slots of all executors=101, connections of a task to a primary=4, primaries=5,"
                        + " sum=2020, maxConnections=2000");
        ServerCheck.checkConnections(plan("connections", "4", "maxConnections", "2020"), 101, 5);
    }
}
