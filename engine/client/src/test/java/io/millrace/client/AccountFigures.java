// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.testkit.Figures;

/** A client's account in the words of the testkit. */
final class AccountFigures {

    private AccountFigures() {}

    static Figures of(CommandCounts counts) {
        return new Figures(
                counts.submitted(),
                counts.ok(),
                counts.error(),
                counts.timedOut(),
                counts.refused(),
                counts.lost(),
                counts.pending());
    }
}
