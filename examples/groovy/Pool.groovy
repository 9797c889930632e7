// SPDX-License-Identifier: Apache-2.0
// Ten threads, a pool of eight connections: each thread borrows a connection and keeps it for all its sets.
@Grab('io.millrace:millrace-client:0.2.0-SNAPSHOT')
import io.millrace.client.ClientOptions
import io.millrace.client.DedicatedConnection
import io.millrace.client.RedisClient
import io.millrace.client.RedisUri
import io.millrace.client.command.Strings
import java.time.Duration

// snippet: step
int threads = 10
int connections = 8

Step.measure(args) { RedisUri uri, int count ->
    // Two threads wait until other threads return their connections. The time limit includes this wait.
    ClientOptions options = ClientOptions.builder(uri)
            .poolSize(connections)
            .commandTimeout(Duration.ofHours(1))
            .build()
    try (RedisClient client = RedisClient.connect(options)) {
        Step.inThreads(threads) { int thread ->
            try (DedicatedConnection connection = client.borrow()) {
                for (int i = thread; i < count; i += threads) {
                    connection.call(Strings.set(Step.key(i), "value $i"))
                }
            }
        }
        return client.counts()
    }
}
// end
