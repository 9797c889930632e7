// SPDX-License-Identifier: Apache-2.0
// Ten threads share one client, without a pool: the client sends the sets of all threads over two connections.
@Grab('io.millrace:millrace-client:0.2.0-SNAPSHOT')
import io.millrace.client.RedisClient
import io.millrace.client.RedisUri
import io.millrace.client.command.Strings

// snippet: step
int threads = 10

Step.measure(args) { RedisUri uri, int count ->
    try (RedisClient client = RedisClient.connect(uri)) {
        Step.inThreads(threads) { int thread ->
            for (int i = thread; i < count; i += threads) {
                client.call(Strings.set(Step.key(i), "value $i"))
            }
        }
        return client.counts()
    }
}
// end
