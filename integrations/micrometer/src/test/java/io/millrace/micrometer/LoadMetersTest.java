// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Details;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Job;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.Loader;
import io.millrace.load.RowCounts;
import io.millrace.load.source.GeneratedSource;
import io.millrace.load.target.HashTarget;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The meters of loads, read from the text of Prometheus. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LoadMetersTest {

    private static final LoadEvent STARTED =
            new LoadEvent.Started(Job.Kind.LOAD, "source", "server", OptionalLong.empty());

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private final Scrape scrape = new Scrape();
    private final LoadMeters meters = new LoadMeters(scrape.meters);

    private double rows(String outcome) {
        return scrape.value("millrace_load_rows_total{job=\"customers\",outcome=\"" + outcome + "\"}");
    }

    private double lastSuccess() {
        return scrape.value("millrace_load_last_success_seconds{job=\"customers\"}");
    }

    @Test
    void metersHaveTheRowsAndTheTimesOfAllLoads() {
        Loader loader = new Loader(SERVER.options().build());
        LoadPlan plan = new LoadPlan(
                GeneratedSource.customers(1_000, 7),
                HashTarget.of("c:{id}"),
                LoadOptions.builder().verify(LoadOptions.Verification.FULL).build());
        Consumer<LoadEvent> job = meters.job("customers");
        assertThat(lastSuccess()).as("before the first load").isZero();

        LoadReport first = loader.run(plan, job);
        LoadReport second = loader.run(plan, meters.job("customers"));
        LoadReport verified = loader.verify(plan, job);

        assertThat(verified.rows().skipped()).isEqualTo(1_000);
        assertThat(rows("written")).isEqualTo(2_000);
        assertThat(rows("rejected")).isZero();
        assertThat(rows("skipped")).isZero();
        assertThat(rows("unconfirmed")).isZero();
        assertThat(scrape.value("millrace_load_duration_seconds_count{job=\"customers\"}"))
                .isEqualTo(2);
        assertThat(scrape.value("millrace_load_duration_seconds_sum{job=\"customers\"}"))
                .isCloseTo(first.seconds() + second.seconds(), offset(1e-6));
        assertThat(lastSuccess())
                .isCloseTo(second.job().started().toEpochMilli() / 1e3 + second.seconds(), offset(1e-3));
    }

    @Test
    void dryRunChangesNoMeter() {
        Loader loader = new Loader(SERVER.options().build());
        LoadPlan dry = new LoadPlan(
                GeneratedSource.customers(1_000, 7),
                HashTarget.of("c:{id}"),
                LoadOptions.builder().dryRun().build());
        Consumer<LoadEvent> job = meters.job("customers");
        List<Double> skippedDuringTheRun = new ArrayList<>();

        LoadReport report = loader.run(dry, event -> {
            job.accept(event);
            skippedDuringTheRun.add(rows("skipped"));
        });

        assertThat(report.rows().skipped()).isEqualTo(1_000);
        assertThat(skippedDuringTheRun).containsOnly(0.0);
        assertThat(scrape.value("millrace_load_duration_seconds_count{job=\"customers\"}"))
                .isZero();
        assertThat(lastSuccess()).isZero();
    }

    @Test
    void loadAfterADryRunThatHasFailedIsCounted() {
        Consumer<LoadEvent> job = meters.job("customers");
        job.accept(new LoadEvent.Started(Job.Kind.DRY_RUN, "source", "nowhere", OptionalLong.empty()));
        job.accept(new LoadEvent.Progress(new RowCounts(20, 0, 1, 19, 0), 0, 0, 1));

        job.accept(STARTED);
        job.accept(new LoadEvent.Progress(new RowCounts(5, 5, 0, 0, 0), 0, 0, 1));

        assertThat(rows("written")).isEqualTo(5);
        assertThat(rows("rejected")).isZero();
        assertThat(rows("skipped")).isZero();
    }

    @Test
    void loadWithChangedOptionsIsCountedAndIsNoSuccessOfTheJob() {
        Consumer<LoadEvent> changed = meters.changedJob("customers");
        changed.accept(STARTED);
        changed.accept(new LoadEvent.Finished(report(new Ending.Completed(), new RowCounts(8, 8, 0, 0, 0))));

        assertThat(rows("written")).isEqualTo(8);
        assertThat(scrape.value("millrace_load_duration_seconds_count{job=\"customers\"}"))
                .isEqualTo(1);
        assertThat(lastSuccess()).isZero();

        Consumer<LoadEvent> whole = meters.job("customers");
        whole.accept(STARTED);
        whole.accept(new LoadEvent.Finished(report(new Ending.Completed(), new RowCounts(9, 9, 0, 0, 0))));

        assertThat(rows("written")).isEqualTo(17);
        assertThat(lastSuccess()).isEqualTo(1_000_001);
    }

    @Test
    void rowsOfARunningLoadAreCountedAndCountersNeverDecrease() {
        Consumer<LoadEvent> job = meters.job("customers");
        job.accept(STARTED);
        job.accept(new LoadEvent.Progress(new RowCounts(20, 10, 1, 0, 0), 9, 0, 1));
        assertThat(rows("written")).isEqualTo(10);

        job.accept(STARTED); // the last load has failed without a report
        job.accept(new LoadEvent.Progress(new RowCounts(5, 5, 0, 0, 0), 0, 0, 1));
        assertThat(rows("written")).isEqualTo(15);
        job.accept(new LoadEvent.Finished(report(new Ending.Stopped("why"), new RowCounts(8, 6, 0, 0, 2))));

        assertThat(rows("written")).isEqualTo(16);
        assertThat(rows("rejected")).isEqualTo(1);
        assertThat(rows("unconfirmed")).isEqualTo(2);
        assertThat(lastSuccess()).as("a stopped load is no success").isZero();
    }

    @Test
    void writtenRowsThatALoadDiscardsStayCounted() {
        Consumer<LoadEvent> job = meters.job("customers");
        job.accept(STARTED);
        job.accept(new LoadEvent.Progress(new RowCounts(5, 4, 1, 0, 0), 0, 0, 1));
        job.accept(
                new LoadEvent.Finished(report(new Ending.Stopped("a row was rejected"), new RowCounts(5, 0, 1, 4, 0))));

        assertThat(rows("written")).isEqualTo(4);
        assertThat(rows("skipped")).isEqualTo(4);
        assertThat(rows("rejected")).isEqualTo(1);
    }

    @Test
    void loadWithRejectedRowsIsASuccessAndALoadOfAnotherProcessChangesNoCount() {
        meters.endedElsewhere("customers", report(new Ending.Completed(), new RowCounts(8, 6, 2, 0, 0)));
        assertThat(lastSuccess()).isEqualTo(1_000_001);
        assertThat(rows("written")).isZero();

        meters.endedElsewhere("customers", report(new Ending.Completed(), new RowCounts(8, 6, 0, 0, 2)));
        meters.endedElsewhere("customers", report(new Ending.Interrupted(), new RowCounts(0, 0, 0, 0, 0)));
        assertThat(lastSuccess()).isEqualTo(1_000_001);

        meters.close();
        assertThat(scrape.lines("millrace_load")).isEmpty();
    }

    private static LoadReport report(Ending ending, RowCounts rows) {
        return new LoadReport(
                ending,
                new Job(Job.Kind.LOAD, "shop.csv", "redis://cache:6379 hash c:{id}", Instant.ofEpochSecond(1_000_000)),
                rows,
                CommandCounts.NONE,
                FusionCounts.NONE,
                1,
                1,
                1,
                1,
                new Times(0, 0, 0, 0),
                Bottleneck.SERVER,
                Optional.empty(),
                Optional.empty(),
                Details.NONE);
    }
}
