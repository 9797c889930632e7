// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.CheckpointOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadPlan;
import io.millrace.load.Reload;
import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.ColumnSelection;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonSetTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.SetTarget;
import io.millrace.load.target.SortedSetTarget;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.TargetOptions;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Tests that each key of a job is a part of its plan or of its trigger. */
class JobKeysTest {

    private static final String HASH = "table=shop;key=c:{id};as=hash;";

    static Stream<Arguments> keys() {
        return Stream.of(triggers(), targets(), options()).flatMap(Function.identity());
    }

    private static Stream<Arguments> triggers() {
        return Stream.of(
                key(HASH + "when=before-port", LoadJob::trigger, LoadTrigger.BEFORE_PORT),
                key(HASH, LoadJob::trigger, LoadTrigger.BEFORE_READY),
                key(HASH + "required=false", LoadJob::required, false),
                key(HASH, LoadJob::required, true),
                key(HASH + "deadline=5m", LoadJob::deadline, Duration.ofMinutes(5)),
                key(HASH, LoadJob::deadline, Duration.ofHours(1)),
                key(HASH + "cron=0 0 * * * *", job -> job.cron().map(Object::toString), Optional.of("0 0 * * * *")),
                key(HASH + "once-per=10m", LoadJob::oncePer, Duration.ofMinutes(10)),
                key(HASH, LoadJob::oncePer, Duration.ZERO));
    }

    private static Stream<Arguments> targets() {
        ColumnSelection two = new ColumnSelection(List.of("a", "b"), List.of());
        TargetOptions options = TargetOptions.of("c:{id}");
        return Stream.of(
                target("as=hash", HashTarget.of("c:{id}")),
                target("as=hash;replace-row=true", HashTarget.of("c:{id}").withReplaceRow()),
                target("as=hash;fields=a,b", HashTarget.of("c:{id}").withFields("a", "b")),
                target("as=hash;exclude=a,b", HashTarget.of("c:{id}").withExclude("a", "b")),
                target(
                        "as=hash;field=f:{x};value=v",
                        new HashFieldTarget(options, "f:{x}", Optional.of("v"), ColumnSelection.ALL)),
                target("as=string;value=v", StringTarget.of("c:{id}", "v")),
                target(
                        "as=string;value=v;bucket.size=100;bucket.pairs=5000;bucket.above-limit=true",
                        StringTarget.of("c:{id}", "v")
                                .withBucket(
                                        BucketOptions.of(100).withPairs(5_000).withAboveLimit())),
                target("as=json;fields=a,b", new JsonTarget(options, two)),
                target("as=json;json-null=true", JsonTarget.of("c:{id}").withJsonNull()),
                target("as=json;json-set=true", JsonSetTarget.of("c:{id}")),
                target("as=list;value=v", ListTarget.of("c:{id}").withValue("v")),
                target("as=set;value=v", SetTarget.of("c:{id}").withValue("v")),
                target(
                        "as=zset;score=s;value=v",
                        SortedSetTarget.of("c:{id}", "s").withValue("v")),
                target("as=stream;fields=a,b", StreamTarget.of("c:{id}").withFields("a", "b")),
                target("as=bitmap;offset=o", BitmapTarget.of("c:{id}", "o")),
                target(
                        "as=hash;ttl=15m;ttl-jitter=0.1",
                        HashTarget.of("c:{id}").withTtl(Duration.ofMinutes(15)).withTtlJitter(0.1)),
                target("as=hash;ttl-field=expiry", HashTarget.of("c:{id}").withTtlField("expiry")),
                target("as=hash;null-text=-", HashTarget.of("c:{id}").withNullText("-")),
                target("as=hash;only-missing=true", HashTarget.of("c:{id}").withOnlyMissing()));
    }

    private static Stream<Arguments> options() {
        return Stream.of(
                option("connections=3", plan -> plan.options().connections(), 3),
                option("in-flight=100", plan -> plan.options().inFlight(), 100),
                option("in-flight-bytes=2MB", plan -> plan.options().inFlightBytes(), 2L << 20),
                option("timeout=7s", plan -> plan.options().timeout(), Duration.ofSeconds(7)),
                option("limit=9", plan -> plan.options().limit(), OptionalLong.of(9)),
                option("rate=1000", plan -> plan.options().rate(), OptionalLong.of(1_000)),
                option("on-error=stop", plan -> plan.options().onError(), OnError.STOP),
                option("max-errors=5", plan -> plan.options().maxErrors(), OptionalLong.of(5)),
                option("rejects=r.jsonl", plan -> plan.options().rejects(), Optional.of(Path.of("r.jsonl"))),
                option("verify=full", plan -> plan.options().verify(), Verification.FULL),
                option("verify=none", plan -> plan.options().verify(), Verification.NONE),
                option("verify=1%", plan -> plan.options().verify(), new Verification(0.01)),
                option("verify=sample:2%", plan -> plan.options().verify(), new Verification(0.02)),
                option(
                        "verify=full;differences=d.jsonl",
                        plan -> plan.options().differences(),
                        Optional.of(Path.of("d.jsonl"))),
                option("dry-run=true", plan -> plan.options().dryRun(), true),
                option("fusion=false", plan -> plan.options().fusion(), false),
                option("patience=0s", plan -> plan.options().patience(), Duration.ZERO),
                option(
                        "reload.swap=true",
                        plan -> plan.options().reload(),
                        Optional.of(new Reload("shop", true, false))),
                option(
                        "reload.prune=true;reload.job=nightly",
                        plan -> plan.options().reload(),
                        Optional.of(new Reload("nightly", false, true))),
                option(
                        "checkpoint.name=night;checkpoint.directory=/var/tmp;checkpoint.resume=true",
                        plan -> plan.options().checkpoint(),
                        Optional.of(CheckpointOptions.of("night")
                                .in(Path.of("/var/tmp"))
                                .resuming())),
                option(
                        "checkpoint.name=night;checkpoint.resume=true;checkpoint.server-kept-data=true",
                        plan -> plan.options().checkpoint(),
                        Optional.of(CheckpointOptions.of("night").resuming().withServerKeptData())),
                option("fetch-size=50;data-source=shop", plan -> plan.source().name(), "shop"));
    }

    private static Arguments key(String pairs, Function<LoadJob, Object> part, Object expected) {
        return Arguments.of(pairs, part, expected);
    }

    private static Arguments target(String pairs, Object expected) {
        return key("table=shop;key=c:{id};" + pairs, job -> job.plan().target(), expected);
    }

    private static Arguments option(String pairs, Function<LoadPlan, Object> option, Object expected) {
        return key(HASH + pairs, job -> option.apply(job.plan()), expected);
    }

    @ParameterizedTest
    @MethodSource("keys")
    void valueOfAKeyIsAPartOfTheJob(String pairs, Function<LoadJob, Object> part, Object expected) {
        assertThat(part.apply(TestJobs.job(pairs))).isEqualTo(expected);
    }

    @Test
    void eachKeyOfAJobIsTested() {
        String tested = Stream.concat(
                        keys().map(arguments -> (String) arguments.get()[0]),
                        Stream.of("query=;csv=;csv-format=;table=;key=;as="))
                .collect(Collectors.joining(";"));
        Set<String> words = new HashSet<>(Arrays.asList(tested.split("[;=.]", -1)));

        assertThat(JobProperties.class.getRecordComponents())
                .extracting(RecordComponent::getName)
                .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .allSatisfy(key -> assertThat(words).contains(key));
    }

    static Stream<Arguments> optionsOfLoads() {
        return Stream.of(
                Arguments.of(LoadOptions.class, JobProperties.class),
                Arguments.of(TargetOptions.class, JobProperties.class),
                Arguments.of(Reload.class, JobProperties.Reload.class),
                Arguments.of(CheckpointOptions.class, JobProperties.Checkpoint.class),
                Arguments.of(BucketOptions.class, JobProperties.Bucket.class));
    }

    @ParameterizedTest
    @MethodSource("optionsOfLoads")
    void eachOptionOfALoadHasAKey(Class<?> options, Class<?> keys) {
        assertThat(keys.getRecordComponents())
                .extracting(RecordComponent::getName)
                .containsAll(Arrays.stream(options.getRecordComponents())
                        .map(RecordComponent::getName)
                        .toList());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            key=c:{id};as=hash                              | millrace.load.jobs.shop has no source
            table=a;query=b;key=c;as=hash                   | millrace.load.jobs.shop.table and millrace.load.jobs.shop.query
            table=a;csv=b.csv;key=c;as=hash                 | millrace.load.jobs.shop.table and millrace.load.jobs.shop.csv
            table=a;as=hash                                 | millrace.load.jobs.shop.key is missing
            table=a;key=c                                   | millrace.load.jobs.shop.as is missing
            table=a;key=c;as=string                         | millrace.load.jobs.shop.value is missing
            table=a;key=c;as=zset                           | millrace.load.jobs.shop.score is missing
            table=a;key=c;as=bitmap                         | millrace.load.jobs.shop.offset is missing
            table=a;key=c;as=hash;value=v                   | millrace.load.jobs.shop.value cannot be used
            table=a;key=c;as=list;field=f                   | millrace.load.jobs.shop.field cannot be used
            table=a;key=c;as=hash;score=s                   | millrace.load.jobs.shop.score cannot be used
            table=a;key=c;as=hash;offset=o                  | millrace.load.jobs.shop.offset cannot be used
            table=a;key=c;as=hash;json-set=true             | millrace.load.jobs.shop.json-set cannot be used
            table=a;key=c;as=json;replace-row=true          | millrace.load.jobs.shop.replace-row cannot be used
            table=a;key=c;as=string;value=v;fields=a        | millrace.load.jobs.shop.fields cannot be used
            table=a;key=c;as=hash;bucket.size=9             | millrace.load.jobs.shop.bucket.size cannot be used
            table=a;key=c;as=string;value=v;bucket.pairs=9  | millrace.load.jobs.shop.bucket.pairs cannot be used
            table=a;key=c;as=hash;ttl-jitter=0.1            | millrace.load.jobs.shop.*
            table=a;key=c;as=list;ttl-field=t               | millrace.load.jobs.shop.*
            table=a;key=c;as=json;json-null=true;null-text=x | millrace.load.jobs.shop.json-null cannot be used
            csv=a.csv;data-source=db;key=c;as=hash          | millrace.load.jobs.shop.data-source has no meaning
            csv=a.csv;fetch-size=9;key=c;as=hash            | millrace.load.jobs.shop.fetch-size has no meaning
            csv=a.csv;csv-format.delimiter=ab;key=c;as=hash | millrace.load.jobs.shop.csv-format.delimiter=ab
            table=a;csv-format.skip-lines=1;key=c;as=hash   | millrace.load.jobs.shop.csv-format.skip-lines has no meaning
            query=a;csv-format.types=infer;key=c;as=hash    | millrace.load.jobs.shop.csv-format.types has no meaning
            csv=a.csv;csv-format.encoding=no;key=c;as=hash  | millrace.load.jobs.shop.csv-format.encoding=no
            csv=a.csv;csv-format.types=a:x;key=c;as=hash    | millrace.load.jobs.shop.csv-format.types=a:x
            table=a;data-source=none;key=c;as=hash          | millrace.load.jobs.shop.data-source=none is not a bean
            table=a;key=c;as=hash;cron=sometimes            | millrace.load.jobs.shop.cron=sometimes
            table=a;key=c;as=hash;deadline=1ms              | millrace.load.jobs.shop.deadline=1 ms
            table=a;key=c;as=hash;once-per=1ms              | millrace.load.jobs.shop.once-per=1 ms
            table=a;key=c;as=hash;fetch-size=0              | millrace.load.jobs.shop.fetch-size=0
            table=a;key=c;as=hash;connections=0             | millrace.load.jobs.shop.connections=0
            table=a;key=c;as=hash;verify=some               | millrace.load.jobs.shop.verify=some is not a share
            table=a;key=c;as=hash;verify=full;dry-run=true  | millrace.load.jobs.shop.verify cannot be used
            table=a;key=c;as=hash;differences=d             | millrace.load.jobs.shop.differences needs
            table=a;key=c;as=hash;reload.job=a              | millrace.load.jobs.shop.reload.job cannot be used
            table=a;key=c;as=hash;reload.swap=true;reload.job=a b | millrace.load.jobs.shop.reload.job=a b is not a name
            table=a;key=c;as=hash;reload.prune=true;limit=9 | millrace.load.jobs.shop.reload.prune cannot be used
            table=a;key=c;as=hash;reload.swap=true;only-missing=true | millrace.load.jobs.shop.reload.swap cannot be used
            table=a;key=c;as=hash;checkpoint.resume=true    | millrace.load.jobs.shop.checkpoint.resume cannot be used
            table=a;key=c;as=hash;checkpoint.directory=d    | millrace.load.jobs.shop.checkpoint.directory cannot be used
            table=a;key=c;as=hash;checkpoint.server-kept-data=true | millrace.load.jobs.shop.checkpoint.server-kept-data
            table=a;key=c;as=hash;checkpoint.name=n;checkpoint.server-kept-data=true | checkpoint.resume is missing
            table=a;key=c;as=hash;checkpoint.name=a b       | millrace.load.jobs.shop.checkpoint.name=a b is not a name
            table=a;key=c;as=hash;checkpoint.name=n;dry-run=true | millrace.load.jobs.shop.checkpoint.name cannot be used
            table=a;key=c;as=hash;checkpoint.name=n;reload.swap=true | millrace.load.jobs.shop.checkpoint.name cannot
            table=a;key=c;as=hash;on-error=stop;max-errors=1 | millrace.load.jobs.shop.max-errors has no meaning
            """)
    void jobThatCannotBeUsedIsRefusedWithItsKey(String pairs, String message) {
        assertThatThrownBy(() -> TestJobs.job(pairs.strip()))
                .isInstanceOf(KeyException.class)
                .hasMessageContaining(message.strip())
                .extracting(
                        failure -> String.valueOf(failure.getMessage()).lines().count())
                .isEqualTo(1L);
    }

    @Test
    void jobsWithTheSameKeysHaveTheSameDigestAndOthersDoNot() {
        String digest = TestJobs.job(HASH).planDigest();

        assertThat(TestJobs.job(HASH + "deadline=5m;required=false;connections=4")
                        .planDigest())
                .isEqualTo(digest);
        assertThat(Arrays.asList(
                        "ttl=1h",
                        "fields=a",
                        "limit=5",
                        "null-text=x",
                        "only-missing=true",
                        "reload.swap=true",
                        "verify=full",
                        "on-error=stop",
                        "max-errors=5"))
                .allSatisfy(other ->
                        assertThat(TestJobs.job(HASH + other).planDigest()).isNotEqualTo(digest));
        assertThat(TestJobs.job("table=other;key=c:{id};as=hash").planDigest()).isNotEqualTo(digest);
    }

    @ParameterizedTest
    @CsvSource({
        "verify=full, verify",
        "ttl=1h, ttl",
        "reload.swap=true, reload.swap",
        "csv-format.delimiter=;, csv-format.delimiter",
        "connections=4, connections",
        "fusion=false, fusion"
    })
    void keyOfThePlanOfAJobThatIsABeanIsRefused(String pair, String key) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton(
                "shop", new LoadPlan(GatedSource.open(1), HashTarget.of("c:{id}"), LoadOptions.defaults()));

        assertThatThrownBy(() -> TestJobs.jobs(pair, beans))
                .isInstanceOf(KeyException.class)
                .hasMessageContaining("the bean shop of type LoadPlan, and millrace.load.jobs.shop." + key + ".");
        assertThat(TestJobs.jobs("when=manual;required=false;deadline=5m;cron=0 0 * * * *", beans))
                .hasSize(1);
    }
}
