// SPDX-License-Identifier: Apache-2.0
// One thread, one connection: each set waits for the reply to the previous set.
@Grab('io.millrace:millrace-client:0.2.0-SNAPSHOT')
import io.millrace.client.ClientOptions
import io.millrace.client.RedisClient
import io.millrace.client.RedisUri
import io.millrace.client.command.Strings

// snippet: step
Step.measure(args) { RedisUri uri, int count ->
    ClientOptions options = ClientOptions.builder(uri).connections(1).build()
    try (RedisClient client = RedisClient.connect(options)) {
        for (int i = 0; i < count; i++) {
            client.call(Strings.set(Step.key(i), "value $i"))
        }
        return client.counts()
    }
}
// end
