// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.lab.contender.Callers;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.library.Pair;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Optional;

/** What Millrace would have a service write: each of many virtual threads calls the one client, and waits. */
record MillraceCallers(int callers) implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return "callers-" + callers;
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public boolean waits() {
        return true;
    }

    @Override
    public String note() {
        return callers
                + " virtual threads, each calling RedisClient.call() of one client with default options, fused as by default";
    }

    @Override
    public Rounds open(Task task) {
        return new CallerRounds(
                RedisClient.connect(MillraceConnections.builder(task.endpoint()).build()),
                callers,
                Pairs.first(task.operations()));
    }

    private record CallerRounds(RedisClient client, int callers, List<Pair> pairs) implements Rounds {

        @Override
        public Optional<Outcomes> run() throws Exception {
            Callers.VIRTUAL.run(callers, caller -> {
                for (int i = caller; i < pairs.size(); i += callers) {
                    client.call(Strings.set(pairs.get(i).key(), pairs.get(i).value()));
                }
            });
            return Optional.empty();
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
