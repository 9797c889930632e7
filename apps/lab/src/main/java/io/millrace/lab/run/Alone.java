// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.OptionalDouble;

/** Nothing but the contender itself, which says in its own JVM what became of each operation, and what was wrong. */
record Alone() implements Arena {

    @Override
    public Sample round(Turn turn, Entrant ready, Progress progress) {
        ready.prepare();
        var head = turn.workload().variant(turn.contender()) + " "
                + turn.contender().name() + " ";
        var letters = new Letters(Math.max(2, progress.room() - head.length()));
        var measured = ready.round(news -> {
            switch (news) {
                case Step step -> progress.now(head + letters.after(step));
                case Second second -> progress.now(turn.what() + "; " + second.inWords());
            }
        });
        var outcomes = measured.outcomes()
                .orElseThrow(() -> new LabException(
                        turn.contender().label() + " keeps no account, and there is no server that could: workload="
                                + turn.workload().name() + ". Have its rounds return outcomes."));
        return new Sample(turn.round(), measured, OptionalDouble.empty(), outcomes, measured.complaints());
    }

    @Override
    public void settle() {}
}
