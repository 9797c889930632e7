// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.List;
import java.util.function.Supplier;

/** Asks a question about a month whose bitmaps are on the server, and compares the answer with the right one. */
record AskMonth(Question question, Month month, Opener opener) implements Work {

    /** Connects. */
    @FunctionalInterface
    interface Opener {
        Asker open(Target target, Question question);
    }

    /** A connection, and the question to ask over the connection. */
    record Asker(Supplier<List<Long>> question, AutoCloseable connection) {}

    /** Asks Millrace's {@code Activity}. */
    static Asker millrace(Target target, Question question) {
        var client = Connections.millrace(target);
        var activity = Activity.of(client, Month.NAME, ActivityOptions.DEFAULT);
        return new Asker(() -> question.ask(activity), client);
    }

    /** Asks with the commands of the server over Jedis. */
    static Asker jedis(Target target, Question question) {
        var jedis = Connections.jedis(target);
        return new Asker(() -> BitCommands.ask(jedis, question), jedis);
    }

    @Override
    public ReadyWork open(WorkContext context) {
        return new Ready(opener.open(context.target(), question), this);
    }

    private static final class Ready implements ReadyWork {

        private final Asker asker;
        private final AskMonth work;
        private final List<Long> expected;
        private List<Long> answer = List.of();

        Ready(Asker asker, AskMonth work) {
            this.asker = asker;
            this.work = work;
            this.expected = work.question.expected(work.month);
        }

        @Override
        public void prepare() {
            answer = List.of();
        }

        @Override
        public long run() {
            answer = asker.question.get();
            return work.month.ids();
        }

        @Override
        public RoundDetails details() {
            return expected.equals(answer)
                    ? RoundDetails.NONE
                    : RoundDetails.NONE.withComplaints(List.of(
                            work.question.word() + ": wrong answer: expected=" + expected + ", found=" + answer));
        }

        @Override
        public void close() throws Exception {
            asker.connection.close();
        }
    }
}
