// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.lab.client.Target;
import io.millrace.lab.queue.QueueLibrary.Guarantee;
import io.millrace.queue.JobQueue;
import io.millrace.queue.Worker;
import java.time.Duration;
import java.util.List;

/** The job queue of Millrace. */
final class MillraceQueue implements QueueAdapter {

    static final QueueLibrary WORKER = new QueueLibrary(
            "millrace",
            "worker",
            Guarantee.AT_LEAST_ONCE,
            "JobQueue.worker(" + QueueLibrary.CONCURRENCY + ", handler) with default options, except for the lease",
            "https://github.com/millrace/millrace/blob/main/docs/queues.md",
            MillraceQueue::new);

    private final RedisClient client;
    private final JobQueue<String> queue;
    private final Duration lease;

    private MillraceQueue(Target target, Duration silence) {
        RedisUri uri = RedisUri.of(target.host(), target.port()).withDatabase(target.database());
        RedisUri login = target.password()
                .map(password -> target.username()
                        .map(user -> uri.withLogin(user, password))
                        .orElseGet(() -> uri.withPassword(password)))
                .orElse(uri);
        // A contender may start while the machine is busy.
        client = RedisClient.connect(ClientOptions.builder(login)
                .connectTimeout(Duration.ofSeconds(30))
                .build());
        queue = JobQueue.of(client, NAME, Codec.text());
        lease = silence;
    }

    @Override
    public void push(String job) {
        String unused = queue.push(job);
    }

    @Override
    public void pushAll(List<String> jobs) {
        List<String> unused = queue.pushAll(jobs);
    }

    @Override
    public Consumers start(int concurrency, Handler handler) {
        Worker worker = queue.worker(concurrency, job -> handler.handle(job.payload()))
                .lease(lease)
                .start();
        return new Consumers() {
            @Override
            public long done() {
                return worker.stats().succeeded();
            }

            @Override
            public void check() throws InterruptedException {
                if (worker.await(Duration.ZERO)) {
                    throw new IllegalStateException("the worker has ended early: worker=" + worker.name() + ".");
                }
            }

            @Override
            public void close() {
                worker.close();
            }
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
