// SPDX-License-Identifier: Apache-2.0
// A hundred threads share one client. Each thread sends its sets in pipelines of 100, and waits once per pipeline.
@Grab('io.millrace:millrace-client:0.2.0-SNAPSHOT')
import io.millrace.client.Pipeline
import io.millrace.client.RedisClient
import io.millrace.client.RedisUri
import io.millrace.client.command.Strings

// snippet: step
int threads = 100
int size = 100

Step.measure(args) { RedisUri uri, int count ->
    try (RedisClient client = RedisClient.connect(uri)) {
        Step.inThreads(threads) { int thread ->
            Pipeline pipeline = client.pipeline()
            for (int from = thread * size; from < count; from += threads * size) {
                for (int i = from; i < Math.min(from + size, count); i++) {
                    pipeline.add(Strings.set(Step.key(i), "value $i"))
                }
                pipeline.run()*.value() // throws the exception of the first failed set
            }
        }
        return client.counts()
    }
}
// end
