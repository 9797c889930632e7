// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.FusionCounts;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Replies;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.SetTarget;
import io.millrace.load.target.SortedSetTarget;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares loads with fusion and without fusion on a real server. */
@ExtendWith(NoThreadLeft.class)
class FusedLoadTest {

    private static final LoadOptions APART =
            LoadOptions.builder().withoutFusion().build();
    private static final StringTarget STRING = StringTarget.of("c:{id}", "name");
    private static final HashFieldTarget SHARED_HASH =
            HashFieldTarget.of("h:{name}", "{id}").withValue("id");

    /** All keys in order, with their values and whether they have an expiry. */
    private static final String KEYSPACE = """
            local keys=redis.call('KEYS','*') table.sort(keys) local all={}
            for _,k in ipairs(keys) do
              local t=redis.call('TYPE',k).ok
              all[#all+1]=k..' '..t..(redis.call('PTTL',k)>0 and ' expires' or '')
              if t=='string' then all[#all+1]=redis.call('GET',k) end
              if t=='hash' then
                local fields=redis.call('HKEYS',k) table.sort(fields)
                for _,f in ipairs(fields) do all[#all+1]=f..'='..redis.call('HGET',k,f) end
              end
              if t=='list' then all[#all+1]=table.concat(redis.call('LRANGE',k,0,-1),' ') end
              if t=='set' then
                local members=redis.call('SMEMBERS',k) table.sort(members)
                all[#all+1]=table.concat(members,' ')
              end
              if t=='zset' then all[#all+1]=table.concat(redis.call('ZRANGE',k,0,-1,'WITHSCORES'),' ') end
              if t=='stream' then
                for _,e in ipairs(redis.call('XRANGE',k,'-','+')) do all[#all+1]=table.concat(e[2],' ') end
              end
            end
            return table.concat(all,'\\n')
            """;

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private final List<String> rejects = new ArrayList<>();

    static Stream<Target> targets() {
        return Stream.of(
                STRING,
                STRING.withTtl(Duration.ofHours(1)),
                StringTarget.of("{name}", "id"),
                JsonTarget.of("c:{id}"),
                STRING.withBucket(BucketOptions.of(100)),
                HashTarget.of("c:{id}"),
                HashTarget.of("c:{id}").withTtl(Duration.ofHours(1)),
                HashTarget.of("c:{id}").withReplaceRow(),
                HashTarget.of("c:{id}").withOnlyMissing(),
                SHARED_HASH,
                SHARED_HASH.withTtl(Duration.ofHours(1)),
                ListTarget.of("e:{name}").withValue("id"),
                ListTarget.of("e:{name}").withValue("id").withTtl(Duration.ofHours(1)),
                SetTarget.of("e:{name}").withValue("id"),
                SetTarget.of("e:{name}").withValue("id").withTtl(Duration.ofHours(1)),
                SortedSetTarget.of("e:{name}", "id").withValue("id"),
                SortedSetTarget.of("e:{name}", "id").withValue("id").withTtl(Duration.ofHours(1)),
                StreamTarget.of("e:{name}"),
                StreamTarget.of("e:{name}").withTtl(Duration.ofHours(1)),
                BitmapTarget.of("e:{name}", "id"),
                BitmapTarget.of("e:{name}", "id").withTtl(Duration.ofHours(1)));
    }

    @ParameterizedTest
    @MethodSource("targets")
    void fusionDoesNotChangeKeysOrRejectionsOrRowCounts(Target target) {
        LoadReport apart = run(target, APART, groups(5_000));
        String expected = keyspace();
        List<String> expectedRejects = List.copyOf(rejects);
        REDIS.call("FLUSHALL");
        rejects.clear();

        LoadReport fused = run(target, LoadOptions.defaults(), groups(5_000));

        assertThat(keyspace()).isEqualTo(expected);
        assertThat(rejects).isEqualTo(expectedRejects);
        assertThat(fused.rows()).isEqualTo(apart.rows());
        assertThat(fused.commands()).isEqualTo(apart.commands());
        assertThat(apart.fusion()).isEqualTo(FusionCounts.NONE);
    }

    @Test
    void stringsAreFusedAndFieldsOfOneHashAreFused() {
        LoadReport strings = run(STRING, LoadOptions.defaults(), TestRows.count(5_000));
        LoadReport fields = run(SHARED_HASH, LoadOptions.defaults(), groups(5_000));

        assertThat(strings.fusion().commands()).isGreaterThan(4_000);
        assertThat(strings.fusion().fusedBatches()).isLessThan(400);
        assertThat(fields.fusion().commands()).isGreaterThan(3_000);
    }

    @Test
    void onlyTheRowsOfAKeyWithAnotherTypeAreRejected() {
        REDIS.call("RPUSH", "h:g3", "x");
        LoadReport apart = run(SHARED_HASH, APART, groups(1_000));
        Map<String, List<String>> expected = rejectsByKey();
        REDIS.call("FLUSHALL");
        REDIS.call("RPUSH", "h:g3", "x");
        rejects.clear();

        LoadReport fused = run(SHARED_HASH, LoadOptions.defaults(), groups(1_000));

        assertThat(fused.rows()).isEqualTo(apart.rows());
        assertThat(rejectsByKey()).isEqualTo(expected);
        assertThat(rejects).anyMatch(reject -> reject.contains("WRONGTYPE"));
        assertThat(fused.fusion().commands()).isPositive();
    }

    @Test
    void rowsWithoutKeyPermissionAreRejected() {
        REDIS.call("ACL", "SETUSER", "some", "on", ">secret", "+@all", "~c:*1");
        Loader loader = new Loader(
                ClientOptions.of(RedisUri.of("127.0.0.1", REDIS.server().port()).withLogin("some", "secret")));

        LoadReport report = loader.run(new LoadPlan(TestRows.count(1_000), STRING, LoadOptions.defaults()), this::note);

        assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 100, 900, 0, 0));
        assertThat(report.ending()).isEqualTo(new Ending.Completed());
    }

    @Test
    void permissionErrorOfOneRowRejectsNoOtherRowAndTheLastRowOfAKeyWins() {
        RowSource rows = TestRows.of((row, opening, id) -> {
            if (id == 5_000) {
                REDIS.call("ACL", "SETUSER", "default", "resetkeys", "~mine:*");
            }
            return id < 20_000 && TestRows.fill(row, id, (id % 2 == 0 ? "mine:" : "lost:") + id / 2 % 250);
        });
        LoadReport report;
        try {
            report = run(StringTarget.of("{name}", "id"), LoadOptions.defaults(), rows);
        } finally {
            REDIS.call("ACL", "SETUSER", "default", "~*");
        }

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(rejects).hasSizeGreaterThan(5_000).allMatch(reject -> reject.startsWith("lost:"));
        assertThat(report.rows()).isEqualTo(new RowCounts(20_000, 20_000 - rejects.size(), rejects.size(), 0, 0));
        assertThat(report.commands().submitted()).as("some rows are retried").isGreaterThan(20_000);
        for (int key = 0; key < 250; key++) {
            assertThat(Replies.text(REDIS.call("GET", "mine:" + key))).isEqualTo(Integer.toString(19_500 + 2 * key));
        }
    }

    /** Groups of 50 rows share a name, each seventh row has no name, and each id occurs twice. */
    private static RowSource groups(long count) {
        return TestRows.of((row, opening, id) -> {
            row.clear(id + 1, 0);
            row.add(id / 2);
            if (id % 7 == 6) {
                row.addNull();
            } else {
                row.add(Row.Kind.TEXT, "g" + id / 50);
            }
            return id < count;
        });
    }

    private LoadReport run(Target target, LoadOptions options, RowSource rows) {
        return new Loader(REDIS.options()).run(new LoadPlan(rows, target, options), this::note);
    }

    private void note(LoadEvent event) {
        if (event instanceof LoadEvent.Rejected(Row row, String key, Rejection rejection)) {
            rejects.add(key + " " + row.number() + " " + rejection);
        }
    }

    /**
     * Returns the rejections, grouped by key. A row without a key is rejected when it is read. Other rows are rejected
     * when Redis replies. So the order of rejections with different keys varies, and only the order within one key is
     * fixed.
     */
    private Map<String, List<String>> rejectsByKey() {
        return rejects.stream().collect(Collectors.groupingBy(reject -> reject.substring(0, reject.indexOf(' '))));
    }

    private static String keyspace() {
        Reply reply = REDIS.call("EVAL", KEYSPACE, "0");
        return Replies.text(reply);
    }
}
