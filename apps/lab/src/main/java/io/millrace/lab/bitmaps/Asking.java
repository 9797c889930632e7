// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.lab.experiment.Comparison;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Rounds in which a question is asked once, and answers that are compared with the right ones. */
final class Asking implements WarmContender.Rounds {

    private final long ids;
    private final String what;
    private final List<Long> right;
    private final Supplier<List<Long>> question;
    private final AutoCloseable client;

    /** The last one. */
    private List<Long> answer = List.of();

    /**
     * Rounds of {@code question}.
     *
     * @param month what it is asked of
     * @param client closed at the end
     */
    Asking(Question question, Month month, Supplier<List<Long>> asked, AutoCloseable client) {
        this.ids = month.ids();
        this.what = question.word();
        this.right = question.right(month);
        this.question = asked;
        this.client = client;
    }

    @Override
    public Optional<Outcomes> run() {
        answer = question.get();
        return Optional.of(Outcomes.answered(ids, 0));
    }

    @Override
    public List<String> complaints() {
        return Comparison.complaints(what, right, answer);
    }

    @Override
    public void close() throws Exception {
        client.close();
    }
}
