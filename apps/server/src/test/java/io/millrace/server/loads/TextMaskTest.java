// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisUri;
import io.millrace.load.CheckpointOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.GeneratedSource;
import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextMaskTest {

    private static final RedisUri REDIS = RedisUri.of("redis", 6_379);
    private static final RowSource ROWS = GeneratedSource.customers(1, 1);

    private static String masked(RedisUri redis, RowSource source, LoadOptions options, String text) {
        return TextMask.of(redis, new LoadPlan(source, HashTarget.of("c:{id}"), options))
                .text(text);
    }

    private static String masked(RowSource source, String text) {
        return masked(REDIS, source, LoadOptions.defaults(), text);
    }

    /** What the server does not know, such as the address to which a server has redirected a command. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cannot connect to jdbc:postgresql://db:5432/shop?user=a | cannot connect to ***
            redis://user:pw@cache:6379/0 refuses                    | *** refuses
            no reply from cache.example.com:6379 within 5 s         | no reply from *** within 5 s
            no reply from 127.0.0.1:6379                            | no reply from ***
            no reply from localhost:6379                            | no reply from ***
            no reply: endpoint=node2:7001, connection=3             | no reply: endpoint=***, connection=3
            no reply: endpoint=/run/redis.sock, connection=3        | no reply: endpoint=***, connection=3
            moved to node2:7001 now                                 | moved to *** now
            cannot read /var/lib/shop/prices.csv: line 3            | cannot read ***: line 3
            cannot open /redis.sock                                 | cannot open ***
            cannot read C:\\shop\\prices.csv                        | cannot read ***
            cannot read prices.csv: line 3                          | cannot read ***: line 3
            failed: SELECT id FROM shop.customer WHERE a = 1        | failed: ***
            failed; SQL statement: SELECT 1 [42102-240]             | failed; ***
            failed: with x as (select 1) select * from x            | failed: ***
            rows: 2, written: 2, 0.02 s, 95 rows/s                  | rows: 2, written: 2, 0.02 s, 95 rows/s
            the deadline of the job passed: deadline=1 h.           | the deadline of the job passed: deadline=1 h.
            2 commands were lost with their connection as expected  | 2 commands were lost with their connection as expected
            """)
    void whatLooksLikeAnAddressAPathOrSqlIsMasked(String text, String masked) {
        assertThat(masked(RedisUri.of("other", 1), ROWS, LoadOptions.defaults(), text))
                .isEqualTo(masked);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            no reply from redis:6379 within 5 s | no reply from *** within 5 s
            redis: Name or service not known    | ***: Name or service not known
            redistribution of redis-like texts  | redistribution of ***-like texts
            """)
    void addressOfRedisIsKnown(String text, String masked) {
        assertThat(masked(ROWS, text)).isEqualTo(masked);
    }

    @Test
    void socketOfRedisIsKnown() {
        RedisUri socket = RedisUri.unix(Path.of("/run/my sockets/redis.sock"));

        assertThat(masked(socket, ROWS, LoadOptions.defaults(), "cannot connect to /run/my sockets/redis.sock (gone)"))
                .isEqualTo("cannot connect to *** (gone)");
    }

    @Test
    void queryIsKnownAndTheTextOfADriverIsLeftOut() {
        RowSource source = JdbcSource.ofQuery("jdbc:h2:mem:shop", "TABLE\n  secret_table", JdbcOptions.defaults());

        assertThat(masked(source, "bad value in TABLE secret_table now")).isEqualTo("bad value in *** now");
        assertThat(masked(
                        source,
                        "reading jdbc:h2:mem:shop failed after 7 rows (a (nested) text of secret_table). The rows"
                                + " before the failure were read."))
                .isEqualTo("reading *** failed after 7 rows. The rows before the failure were read.");
    }

    @Test
    void pathsOfTheConfigurationAreKnown() {
        RowSource source =
                io.millrace.load.source.CsvSource.of(Path.of("/srv/my shop/new prices"), CsvOptions.defaults());
        LoadOptions options = LoadOptions.builder()
                .rejects(Path.of("my rejects/of today"))
                .differences(Path.of("/srv/my differences/today"))
                .checkpoint(CheckpointOptions.of("c").in(Path.of("/srv/my points")))
                .build();

        assertThat(masked(
                        REDIS,
                        source,
                        options,
                        "cannot read /srv/my shop/new prices, write my rejects/of today ("
                                + Path.of("my rejects/of today").toAbsolutePath()
                                + "), /srv/my differences/today, /srv/my points/c.checkpoint; see new prices"))
                .isEqualTo("cannot read ***, write *** (***), ***, ******; see ***");
    }
}
