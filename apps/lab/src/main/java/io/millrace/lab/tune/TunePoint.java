// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;

/**
 * One library with one value of a setting.
 *
 * @param value value of the setting
 * @param label the value in tables
 */
record TunePoint(Sweep sweep, ClientLibrary library, UsageMode mode, int value, String label) implements Work {

    static final int PAYLOAD_BYTES = 16;

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        ClientAdapter client = mode.adapter().get();
        client.open(target(context.target()));
        return new TuneRounds(
                this,
                client,
                Math.toIntExact(context.parameters().size().orElse(sweep.commands(value))),
                context.parameters().payloadBytes(PAYLOAD_BYTES));
    }

    private Target target(Target target) {
        return switch (sweep) {
            case CONNECTIONS -> target.withConnections(value);
            case IN_FLIGHT -> target.withInFlight(value);
            case BATCH, MODE -> target;
        };
    }
}
