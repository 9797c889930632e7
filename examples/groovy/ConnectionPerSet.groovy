// SPDX-License-Identifier: Apache-2.0
// One thread, and a new connection for each set: connect, set, close.
@Grab('io.millrace:millrace-client:0.2.0-SNAPSHOT')
import io.millrace.client.ClientOptions
import io.millrace.client.CommandCounts
import io.millrace.client.RedisClient
import io.millrace.client.RedisUri
import io.millrace.client.command.Strings

// snippet: step
Step.measure(args, 10_000) { RedisUri uri, int count ->
    ClientOptions options = ClientOptions.builder(uri).connections(1).build()
    CommandCounts counts = CommandCounts.NONE
    for (int i = 0; i < count; i++) {
        try (RedisClient client = RedisClient.connect(options)) {
            client.call(Strings.set(Step.key(i), "value $i"))
            counts += client.counts() // Groovy calls counts.plus(...)
        }
    }
    return counts
}
// end
