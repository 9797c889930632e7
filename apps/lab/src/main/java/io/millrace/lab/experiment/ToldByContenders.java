// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Check;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.util.List;

/** For rounds whose contenders check every answer themselves, and keep the account: nothing is looked for on the server. */
record ToldByContenders() implements Check {

    @Override
    public List<String> complaints(RedisServer server, long operations) {
        return List.of();
    }

    @Override
    public Outcomes outcomes(RedisServer server, long operations) {
        throw new IllegalStateException("a contender keeps no account of its rounds");
    }
}
