// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.command.TimeToLive;
import io.millrace.client.exception.RedisException;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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
    void headerIsComparedAtMostOnceAMinute() {
        RedisClient client = REDIS.client();
        AtomicLong nanoTime = new AtomicLong();
        Activity active =
                Activity.of(client, "site", ActivityOptions.keptForever().encoding(Encoding.BITMAP), nanoTime::get);
        active.mark("login", 1, SUNDAY);
        nanoTime.addAndGet(Duration.ofSeconds(59).toNanos());
        long before = client.counts().submitted();

        active.mark("login", 2, SUNDAY);
        active.contains("login", DAY, 2);

        assertThat(client.counts().submitted() - before).isEqualTo(2);
        nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
        active.contains("login", DAY, 2);
        assertThat(client.counts().submitted() - before).isEqualTo(4);
    }

    @Test
    void lostHeaderIsCreatedAgainWithinAMinute() {
        RedisClient client = REDIS.client();
        AtomicLong nanoTime = new AtomicLong();
        Activity active = Activity.of(client, "site", ActivityOptions.keptFor(Duration.ofDays(9_999)), nanoTime::get);
        active.mark("login", 1, SUNDAY);
        client.call(Server.flush());
        nanoTime.addAndGet(ActivityHeader.CHECK_INTERVAL.toNanos());

        active.mark("login", 2, SUNDAY);

        assertThat(client.call(Strings.get(HEADER))).contains("DAY CHUNKED 131072 zone=Z expiry=PT239976H");
    }

    @Test
    void headerOfAnotherProgramIsNoticedWithinAMinute() {
        RedisClient client = REDIS.client();
        AtomicLong nanoTime = new AtomicLong();
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever(), nanoTime::get);
        active.mark("login", 1, SUNDAY);
        client.call(Server.flush());
        Activity.of(client, "site", ActivityOptions.keptForever().encoding(Encoding.BITMAP))
                .mark("login", 2, SUNDAY);
        nanoTime.addAndGet(ActivityHeader.CHECK_INTERVAL.toNanos());

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> active.mark("login", 3, SUNDAY))
                    .isInstanceOf(BitmapException.class)
                    .hasMessageStartingWith("the activity exists with other options: name=site,"
                            + " existing=DAY BITMAP zone=Z expiry=never,"
                            + " requested=DAY CHUNKED 131072 zone=Z expiry=never.");
        }
    }

    @Test
    void otherExpiryOrZoneIsRefused() {
        RedisClient client = REDIS.client();
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        Duration year = Duration.ofDays(365);
        Activity.of(client, "site", ActivityOptions.keptFor(year).zone(berlin)).mark("login", 1, SUNDAY);

        for (ActivityOptions other : List.of(
                ActivityOptions.keptForever().zone(berlin),
                ActivityOptions.keptFor(year.plusDays(1)).zone(berlin),
                ActivityOptions.keptFor(year))) {
            assertThatThrownBy(() -> Activity.of(client, "site", other).mark("login", 1, SUNDAY))
                    .isInstanceOf(BitmapException.class)
                    .hasMessageContaining("existing=DAY CHUNKED 131072 zone=Europe/Berlin expiry=PT8760H, requested=");
        }
        Activity found = Activity.find(client, "site").orElseThrow();
        assertThat(found.options().zone()).isEqualTo(berlin);
        assertThat(found.options().expireAfter()).isEqualTo(year);
        assertThat(found.contains("login", DAY, 1)).isTrue();
    }

    @Test
    void openActivityUsesAChangedExpiryWithinAMinute() {
        RedisClient client = REDIS.client();
        AtomicLong nanoTime = new AtomicLong();
        Activity active = Activity.of(client, "site", ActivityOptions.keptFor(Duration.ofDays(9_999)), nanoTime::get);
        active.mark("login", 1, SUNDAY);

        Activity.find(client, "site").orElseThrow().keepForever();
        nanoTime.addAndGet(ActivityHeader.CHECK_INTERVAL.toNanos());
        active.mark("other", 1, SUNDAY);

        assertThat(active.options().expireAfter()).isZero();
        assertThat(client.call(Keys.timeToLive(HEADER + ":other:2026-11-22:0"))).isEqualTo(new TimeToLive.Unlimited());
    }

    /** A header without a zone and an expiry was written by an older version. */
    @ParameterizedTest
    @ValueSource(strings = {"DAY CHUNKED 131072", "DAY CHUNKED 131072 zone=Z expiry=never"})
    void headerWithoutZoneAndExpiryMeansUtcAndForever(String header) {
        RedisClient client = REDIS.client();
        client.call(Strings.set(HEADER, header));

        Activity.of(client, "site", ActivityOptions.keptForever().zone(ZoneId.of("UTC")))
                .mark("login", 1, SUNDAY);

        assertThat(client.call(Strings.get(HEADER))).contains(header);
        assertThat(Activity.find(client, "site").orElseThrow().options().expireAfter())
                .isZero();
        assertThatThrownBy(() -> Activity.of(client, "site", ActivityOptions.keptFor(Duration.ofDays(1)))
                        .mark("login", 1, SUNDAY))
                .isInstanceOf(BitmapException.class);
        assertThat(client.call(Keys.timeToLive(HEADER + ":login:2026-11-22:0"))).isEqualTo(new TimeToLive.Unlimited());
    }

    @Test
    void headerIsCreatedAgainAfterTheActivityWasDeleted() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());
        active.mark("login", 1, SUNDAY);

        active.delete();
        active.mark("login", 2, SUNDAY);

        assertThat(client.call(Strings.get(HEADER))).contains("DAY CHUNKED 131072 zone=Z expiry=never");
        assertThat(active.members(SetExpression.active("login", DAY))).containsExactly(2L);
    }

    @ParameterizedTest
    @EnumSource
    void existingActivityIsFoundWithItsGranularityAndEncoding(Encoding encoding) {
        RedisClient client = REDIS.client();
        Activity.of(
                        client,
                        "site",
                        ActivityOptions.keptForever()
                                .granularity(Granularity.WEEK)
                                .encoding(encoding))
                .mark("login", 1, SUNDAY);

        Activity found = Activity.find(client, "site").orElseThrow();

        assertThat(found.encoding()).isEqualTo(encoding);
        assertThat(found.granularity()).isEqualTo(Granularity.WEEK);
        assertThat(found.contains("login", Span.week(SUNDAY), 1)).isTrue();
        assertThat(Activity.find(client, "other")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DAY",
                "YEAR BITMAP",
                "",
                "DAY BITMAP zone=Z",
                "DAY BITMAP zone=Mars/Base expiry=never",
                "DAY BITMAP zone=Z expiry=PT-1H",
                "DAY BITMAP zone=Z expiry=never more"
            })
    void unknownHeaderIsNotRead(String header) {
        RedisClient client = REDIS.client();
        client.call(Strings.set(HEADER, header));

        assertIsNotRead(
                client,
                "the header of an activity has an unknown value: key={site}:activity, value=" + header
                        + ". Another program or another version has written the header.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DAY CHUNKED", "DAY CHUNKED 1048576", "DAY CHUNKED 1048576 zone=Z expiry=never"})
    void chunksOfAnotherSizeAreNotRead(String header) {
        RedisClient client = REDIS.client();
        client.call(Strings.set(HEADER, header));

        assertIsNotRead(
                client,
                "the activity has chunks of another size: key={site}:activity, value=" + header + ", chunk=131072."
                        + " Another version has stored the activity. Delete the activity and load it again.");
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());
        active.delete();
        assertThat(active.mark("login", 1, SUNDAY)).isTrue();
    }

    private static void assertIsNotRead(RedisClient client, String message) {
        assertThatThrownBy(() -> Activity.find(client, "site"))
                .isInstanceOf(BitmapException.class)
                .hasMessage(message);
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());
        assertThatThrownBy(() -> active.count(SetExpression.active("login", DAY)))
                .isInstanceOf(BitmapException.class)
                .hasMessage(message);
        assertThatThrownBy(() -> active.mark("login", 1, SUNDAY))
                .isInstanceOf(BitmapException.class)
                .hasMessage(message);
        assertThatThrownBy(active::keepForever)
                .isInstanceOf(BitmapException.class)
                .hasMessage(message);
    }
}
