// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadReport;
import io.millrace.load.Loader;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The meters of loads. Keep the object as long as the meters are needed, because a registry has only weak references to
 * it. Thread-safe.
 *
 * <table>
 * <caption>Meters; each has the tag {@code job}</caption>
 * <tr><th>meter</th><th>meaning</th></tr>
 * <tr><td>{@code millrace.load.rows}</td><td>rows of ended and of running loads; tag {@code outcome}: {@code written}, {@code
 *     rejected}, {@code skipped}, {@code unconfirmed}</td></tr>
 * <tr><td>{@code millrace.load.duration}</td><td>time from opening the source to the last reply</td></tr>
 * <tr><td>{@code millrace.load.last.success}</td><td>end of the last complete load of the whole job, in seconds since
 *     1970; 0 before the first. Complete means that {@link ExitCode#isComplete} is true</td></tr>
 * </table>
 */
public final class LoadMeters implements AutoCloseable {

    private final MeterRegistry registry;
    private final Tags tags;
    private final ConcurrentHashMap<String, JobMeters> jobs = new ConcurrentHashMap<>();

    /** Creates meters in {@code registry}. */
    public LoadMeters(MeterRegistry registry) {
        this(registry, List.of());
    }

    /** Creates meters with additional tags. */
    public LoadMeters(MeterRegistry registry, Iterable<Tag> tags) {
        this.registry = registry;
        this.tags = Tags.of(tags);
    }

    /**
     * Registers the meters of a job, and returns a listener that counts the rows of its loads. Pass the listener to {@link
     * Loader#run}. Verifications and dry runs change no meter. One load of a job runs at a time.
     *
     * @param job name of the job; the same name returns the listener of the same meters
     */
    public Consumer<LoadEvent> job(String job) {
        JobMeters meters = meters(job);
        return event -> meters.receive(event, true);
    }

    /**
     * Does the same for a load of the job with other options than usual, such as a limit. Its rows and its time are
     * counted, because they are work of this process. The load does not set {@code millrace.load.last.success}, because
     * its report does not tell that the whole job was loaded.
     */
    public Consumer<LoadEvent> changedJob(String job) {
        JobMeters meters = meters(job);
        return event -> meters.receive(event, false);
    }

    /**
     * Sets {@code millrace.load.last.success} of a job by the report of a load in another process, if this load is complete.
     * The rows are counted in the other process only.
     */
    public void endedElsewhere(String job, LoadReport report) {
        meters(job).succeeded(report);
    }

    private JobMeters meters(String job) {
        return jobs.computeIfAbsent(job, name -> new JobMeters(registry, tags.and("job", name)));
    }

    /** Removes all meters from the registry. */
    @Override
    public void close() {
        jobs.values().forEach(JobMeters::remove);
        jobs.clear();
    }
}
