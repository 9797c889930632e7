// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.command.Command;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Access to a queue on the server, for one worker. If a method fails, the method throws a {@link
 * io.millrace.client.exception.RedisException}. The caller can then call the method again. Only the dispatching thread
 * calls {@link #fetch} and {@link #isEmpty}, and only the acknowledging thread calls {@link #release} and {@link
 * #maintain}. Any thread can call the other methods.
 */
interface QueueBackend<T> {

    /** Returns the name of the queue, which messages contain. */
    String name();

    /** Returns the name of the worker. */
    String worker();

    /** Returns whether the client is closed, so that no call can succeed any more. */
    boolean isClientClosed();

    /** Returns the state of the lease. The caller of {@link #renew} records the results there. */
    LeaseState lease();

    /**
     * Registers the worker. Returns empty if the worker is registered. Otherwise returns the remaining lease of another
     * live worker of the same name.
     */
    Optional<Duration> register();

    /**
     * Takes at most {@code room} jobs. The caller begins these jobs at once or soon.
     *
     * @param suspectAllowed whether one of the jobs may be a suspect
     * @param wait maximum time to wait for a job; zero returns at once
     */
    FetchResult<T> fetch(int room, boolean suspectAllowed, Duration wait);

    /**
     * Called by the thread that fetches, after a fetch that ended with an {@link Error}. The fetch may have recorded jobs that
     * it did not return. Forgets all jobs except those with the ids {@code heldIds}. The next fetches find the forgotten jobs
     * on the server.
     */
    void forgetAllExcept(Set<String> heldIds);

    /** Returns whether the queue has no job that waits, is delayed, or runs in any worker. */
    boolean isEmpty();

    /**
     * Renews the lease of this worker. If the lease has ended and another worker has taken the jobs, registers the
     * worker again. {@code ids} are the ids of the jobs that this worker holds.
     *
     * @throws QueueException if another worker uses the name
     */
    void renew(List<String> ids);

    /**
     * Returns the command that tells the server how an attempt has ended, or empty if the server needs no command. The
     * reply to the command says whether this worker still held the job.
     */
    Optional<Command<Boolean>> acknowledgement(Acknowledgement acknowledgement);

    /** Called once for each job that {@link #fetch} returned, when the server has its acknowledgement. */
    void settled(Acknowledgement acknowledgement, boolean wasHeld);

    /**
     * Makes the jobs of workers whose lease has ended free for other workers. Returns the jobs that the server moved to
     * the dead jobs. The caller calls this method only while the lease of this worker is steady.
     */
    List<BuriedJob<T>> release();

    /** Does the work that is due once a second: delayed and recurring jobs, counters, trimming. */
    void maintain();

    /** Gives the remaining jobs of this worker back, uncounted, and removes the worker. */
    void leave();
}
