// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ChildJvm;
import io.millrace.lab.queue.QueueAdapter.Consumers;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.RedisClient;

/** A JVM with a worker that can be killed. Each job takes some milliseconds and counts itself in a hash. */
public final class KillableWorker {

    /** The hash that counts how often each job was done. */
    static final String COUNTS = QueueAdapter.NAME + ":done";

    static final Duration JOB = Duration.ofMillis(5);

    /** What the process opens. */
    record Setup(String label, Target target, long silenceMillis) {}

    static ChildJvm start(QueueLibrary library, Target target, Duration silence) {
        return ChildJvm.start(KillableWorker.class, new Setup(library.label(), target, silence.toMillis()));
    }

    /** The program of the process. */
    public static void main(String[] args) throws Exception {
        var parent = new ChildJvm.Parent();
        Setup setup = parent.request(Setup.class).orElseThrow();
        QueueLibrary library = QueueLibraries.named(setup.label);
        try (RedisClient counts = JedisQueue.connect(setup.target);
                QueueAdapter queue = library.opener().open(setup.target, Duration.ofMillis(setup.silenceMillis));
                Consumers unused = queue.start(QueueLibrary.CONCURRENCY, job -> {
                    LockSupport.parkNanos(JOB.toNanos());
                    counts.hincrBy(COUNTS, job, 1);
                })) {
            parent.ready();
            while (parent.request(Object.class).isPresent()) {
                // The parent sends nothing. The input ends with the parent.
            }
        }
    }

    private KillableWorker() {}
}
