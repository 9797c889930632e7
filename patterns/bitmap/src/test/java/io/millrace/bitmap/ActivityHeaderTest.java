// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.RedisException;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The header of an activity is created by the first mark, and compared by the first calls. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ActivityHeaderTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final String HEADER = "{site}:activity";
    private static final LocalDate SUNDAY = LocalDate.of(2026, 11, 22);
    private static final Span DAY = Span.day(SUNDAY);

    @Test
    void activityIsOpenedWithoutTheServer() {
        FaultProxy proxy = REDIS.proxy();
        RedisClient client = REDIS.client(proxy.port(), Duration.ofMillis(200));
        proxy.refuseConnections(RefusalMode.RESET);
        proxy.disconnectAll(ConnectionEnd.RESET);

        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());

        assertThatThrownBy(() -> active.mark("login", 1, SUNDAY)).isInstanceOf(RedisException.class);
        proxy.acceptConnections();
        Eventually.holds("the client is connected again", client::isOpen);
        assertThat(active.mark("login", 1, SUNDAY)).isTrue();
    }

    @Test
    void openingAndReadingCreateNoKey() {
        RedisClient client = REDIS.client();
        long before = client.counts().submitted();

        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());

        assertThat(client.counts().submitted()).isEqualTo(before);
        assertThat(active.count(SetExpression.active("login", DAY))).isZero();
        assertThat(active.contains("login", DAY, 1)).isFalse();
        active.clear("login", DAY);
        assertThat(REDIS.keys(client)).isEmpty();
    }

    @Test
    void headerIsComparedOnce() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever().encoding(Encoding.BITMAP));
        active.mark("login", 1, SUNDAY);
        long before = client.counts().submitted();

        active.mark("login", 2, SUNDAY);
        active.contains("login", DAY, 2);

        assertThat(client.counts().submitted() - before).isEqualTo(2);
    }

    @Test
    void headerIsCreatedAgainAfterTheActivityWasDeleted() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());
        active.mark("login", 1, SUNDAY);

        active.delete();
        active.mark("login", 2, SUNDAY);

        assertThat(client.call(Strings.get(HEADER))).contains("DAY CHUNKED 131072");
        assertThat(active.members(SetExpression.active("login", DAY))).containsExactly(2L);
    }

    @ParameterizedTest
    @EnumSource
    void existingActivityIsFoundWithItsGranularityAndEncoding(Encoding encoding) {
        RedisClient client = REDIS.client();
        Activity.of(
                        client,
                        "site",
                        ActivityOptions.keptForever().granularity(Granularity.WEEK).encoding(encoding))
                .mark("login", 1, SUNDAY);

        Activity found = Activity.find(client, "site", ActivityOptions.keptForever()).orElseThrow();

        assertThat(found.encoding()).isEqualTo(encoding);
        assertThat(found.granularity()).isEqualTo(Granularity.WEEK);
        assertThat(found.contains("login", Span.week(SUNDAY), 1)).isTrue();
        assertThat(Activity.find(client, "other", ActivityOptions.keptForever())).isEmpty();
    }

    /** Chunks of another size would be misread. */
    @ParameterizedTest
    @ValueSource(strings = {"DAY CHUNKED", "DAY CHUNKED 1048576", "DAY", "YEAR BITMAP", ""})
    void unknownHeaderIsNotRead(String header) {
        RedisClient client = REDIS.client();
        client.call(Strings.set(HEADER, header));

        assertThatThrownBy(() -> Activity.find(client, "site", ActivityOptions.keptForever()))
                .isInstanceOf(BitmapException.class)
                .hasMessage("the header of an activity has an unknown value: key={site}:activity, value=" + header
                        + ". Another program or another version has written the header.");
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());
        assertThatThrownBy(() -> active.count(SetExpression.active("login", DAY)))
                .isInstanceOf(BitmapException.class)
                .hasMessageStartingWith("the activity exists with another granularity or encoding: name=site, existing="
                        + header + ", requested=DAY CHUNKED 131072.");
    }
}
