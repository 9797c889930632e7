// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.contender.CliPipe;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Inputs;
import java.nio.file.Path;
import java.util.List;

/** Numbered pairs are set, each to a key of its own. */
record Strings() implements Activity {

    @Override
    public String name() {
        return "strings";
    }

    @Override
    public List<Contender> others() {
        return List.of(new CliPipe());
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        return Pairs.commands(folder, operations);
    }

    @Override
    public Work work(long operations) {
        var pairs = Pairs.first(operations);
        return (idiom, batch) -> idiom.set(pairs, batch);
    }

    @Override
    public List<Counted> commands() {
        return List.of(new Counted("set", "mset"));
    }

    @Override
    public Check check() {
        return new Pairs();
    }
}
