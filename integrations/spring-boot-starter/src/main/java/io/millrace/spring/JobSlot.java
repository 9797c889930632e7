// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.ClientOptions;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A load job, the run that occupies the job, and the last runs. Thread-safe. Never calls code of the application. */
final class JobSlot {

    private final LoadJob job;

    /** Guards the next four fields. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The run whose thread has not ended. */
    private @Nullable JobRun running;

    /** The last ended run with the options of the job. */
    private @Nullable LoadRun last;

    /** The last ended run with changed options. */
    private @Nullable LoadRun lastChanged;

    /** The events of the newest run. */
    private RunPublication publication = RunPublication.none();

    /**
     * The job at one moment.
     *
     * @param last the last ended run with the options of the job
     * @param lastChanged the last ended run with changed options
     */
    record State(boolean running, Optional<LoadRun> last, Optional<LoadRun> lastChanged) {}

    JobSlot(LoadJob job) {
        this.job = job;
    }

    LoadJob job() {
        return job;
    }

    /**
     * Creates a run that occupies the job. The caller ensures that no run occupies the job.
     *
     * @param used the job, perhaps with changed options
     * @param number number of the run since the start of the application
     */
    JobRun occupy(LoadJob used, long number, ClientOptions redis, RunEvents events) {
        lock.lock();
        try {
            publication = publication.next();
            JobRun run = new JobRun(this, used, number, publication, redis, events);
            running = run;
            return run;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends a run whose thread ends. The job is free then.
     *
     * @return whether the run was not given up before
     */
    boolean end(JobRun run, LoadRun ended) {
        lock.lock();
        try {
            running = null;
            return keep(run, ended);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends a run whose thread does not end. The job stays occupied until the thread ends.
     *
     * @return whether the run had not ended before
     */
    boolean giveUp(JobRun run, LoadRun ended) {
        lock.lock();
        try {
            return keep(run, ended);
        } finally {
            lock.unlock();
        }
    }

    /** Keeps the result of a run, unless the run has one. The caller holds the lock. */
    private boolean keep(JobRun run, LoadRun ended) {
        if (!run.endOnce(ended)) {
            return false;
        }
        if (ended.kind() == RunKind.CONFIGURED) {
            last = ended;
        } else {
            lastChanged = ended;
        }
        return true;
    }

    /** The run that occupies the job. */
    Optional<JobRun> running() {
        lock.lock();
        try {
            return Optional.ofNullable(running);
        } finally {
            lock.unlock();
        }
    }

    State state() {
        lock.lock();
        try {
            return new State(running != null, Optional.ofNullable(last), Optional.ofNullable(lastChanged));
        } finally {
            lock.unlock();
        }
    }

    /** Completed when the listeners of all events of all runs until now have returned. */
    CompletableFuture<Void> published() {
        lock.lock();
        try {
            return publication.ended();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the calling thread runs a listener of an event of this job. */
    boolean isPublishingOnCallingThread() {
        lock.lock();
        try {
            return publication.isOnCallingThread();
        } finally {
            lock.unlock();
        }
    }
}
