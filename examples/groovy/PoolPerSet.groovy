// SPDX-License-Identifier: Apache-2.0
// A hundred threads, a pool of eight connections: each thread borrows a connection for one set and returns it.
@Grab('io.millrace:millrace-client:0.2.0-SNAPSHOT')
import io.millrace.client.ClientOptions
import io.millrace.client.DedicatedConnection
import io.millrace.client.RedisClient
import io.millrace.client.RedisUri
import io.millrace.client.command.Strings

// snippet: step
int threads = 100
int connections = 8

Step.measure(args) { RedisUri uri, int count ->
    ClientOptions options = ClientOptions.builder(uri).poolSize(connections).build()
    try (RedisClient client = RedisClient.connect(options)) {
        Step.inThreads(threads) { int thread ->
            for (int i = thread; i < count; i += threads) {
                try (DedicatedConnection connection = client.borrow()) {
                    connection.call(Strings.set(Step.key(i), "value $i"))
                }
            }
        }
        return client.counts()
    }
}
// end
