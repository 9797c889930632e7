// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.HttpRequests;
import io.millrace.lab.frameworks.HttpRequests.Route;
import java.io.IOException;
import java.util.Map;

/** Requests to the server of Millrace. */
public record MillraceRequests(HttpRequests requests) implements Work {

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        Map<String, String> keys = requests.route() == Route.NEAR_VALUE
                ? Map.of(MillraceServer.NEAR_ENTRIES, Integer.toString(10 * HttpRequests.KEYS))
                : Map.of();
        return RequestRounds.of(MillraceServer.start(context.target(), keys), requests, context.folder());
    }
}
