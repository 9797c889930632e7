// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.ConnectionPool;
import io.millrace.lab.library.Pair;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Optional;

/** A library that sets numbered pairs by many threads over its pool. */
record PooledSetting(ConnectionPool.Source source, PoolPattern pattern) implements WarmContender {

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public String variant() {
        return pattern.name();
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public boolean waits() {
        return pattern.waits();
    }

    @Override
    public String note() {
        return source.note() + "; " + pattern.note();
    }

    @Override
    public Rounds open(Task task) throws Exception {
        return new PooledRounds(
                source.opener().open(task.endpoint(), pattern.pool()), pattern, Pairs.first(task.operations()));
    }

    private record PooledRounds(ConnectionPool pool, PoolPattern pattern, List<Pair> pairs) implements Rounds {

        @Override
        public Optional<Outcomes> run() throws Exception {
            pattern.run(pool, pairs);
            return Optional.empty();
        }

        @Override
        public void close() throws Exception {
            pool.close();
        }
    }
}
