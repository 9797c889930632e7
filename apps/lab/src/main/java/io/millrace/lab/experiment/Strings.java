// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Check;

/** Numbered pairs are set, each to a key of its own. */
record Strings() implements Activity {

    @Override
    public String name() {
        return "strings";
    }

    @Override
    public Work work(long operations) {
        var pairs = Pairs.first(operations);
        return (idiom, batch) -> idiom.set(pairs, batch);
    }

    @Override
    public Check check() {
        return new Pairs();
    }
}
