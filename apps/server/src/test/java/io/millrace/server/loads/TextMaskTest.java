// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

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
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextMaskTest {

    private static final RedisUri REDIS = RedisUri.of("redis", 6_379);
    private static final RowSource ROWS = GeneratedSource.customers(1, 1);

    private static String masked(RedisUri redis, RowSource source, LoadOptions options, String text) {
        return TextMask.of(redis, new LoadPlan(source, HashTarget.of("c:{id}"), options), true)
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

    /** The message of a rejected row may quote a value of the row. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            a row was rejected, and the load stops at the first rejected row: row 2 (line 3): score='12 EUR'       | a row was rejected, and the load stops at the first rejected row: row 2 (line 3): ***
            7 rows were rejected, which is more than the 6 allowed rejected rows; the last rejected row: row 9: x  | 7 rows were rejected, which is more than the 6 allowed rejected rows; the last rejected row: row 9: ***
            the last rejected row: row 9 (line 10 of a.csv): ttl='x: y'. Write whole seconds                       | the last rejected row: row 9 (line 10 of ***): ***
            the last rejected row: row 9 of a.csv: 'x'                                                             | the last rejected row: row 9 of ***: ***
            """)
    void messageOfARejectedRowIsHidden(String text, String masked) {
        assertThat(masked(ROWS, text)).isEqualTo(masked);
    }

    @Test
    void adviceBehindTheMessageOfARejectedRowIsShown() {
        String advice = " Correct the cause, or allow these rows with a maximum of rejected rows (max-errors)";

        assertThat(masked(ROWS, "the first 1,000 rows all failed alike; the last one: row 1000: a='5 EUR'." + advice))
                .isEqualTo("the first 1,000 rows all failed alike; the last one: row 1000: ***." + advice);
    }

    /** A message may quote a value of any size. The time would grow with the square of the length. */
    @ParameterizedTest
    @ValueSource(strings = {"select ", "a-", "/a", "a."})
    void longTextIsCutAndMaskedAtOnce(String part) {
        LoadPlan plan = new LoadPlan(ROWS, HashTarget.of("c:{id}"), LoadOptions.defaults());
        String text = "bad value: " + part.repeat(100_000);

        String masked = assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> TextMask.of(REDIS, plan, false).text(text));

        assertThat(masked).startsWith("bad value: ").hasSizeLessThan(5_000);
    }

    @Test
    void textOfADriverIsLeftOutAlsoIfItIsLong() {
        String text = "failed after 7 rows (" + "secret ".repeat(10_000) + "). The rows before the failure were read.";

        assertThat(masked(ROWS, text)).isEqualTo("failed after 7 rows. The rows before the failure were read.");
    }

    @Test
    void messageOfARejectedRowIsShownIfValuesAreShown() {
        LoadPlan plan = new LoadPlan(ROWS, HashTarget.of("c:{id}"), LoadOptions.defaults());
        String text = "the last rejected row: row 9: score='12 EUR'";

        assertThat(TextMask.of(REDIS, plan, false).text(text)).isEqualTo(text);
    }
}
