// SPDX-License-Identifier: Apache-2.0
// A producer, a queue in memory, and ten consumers: each consumer takes up to 200 tasks and sends them in one pipeline.
@Grab('io.millrace:millrace-client:0.2.0-SNAPSHOT')
@Grab('io.millrace:millrace-tasks:0.2.0-SNAPSHOT')
import io.millrace.client.Pipeline
import io.millrace.client.RedisClient
import io.millrace.client.RedisUri
import io.millrace.client.command.Strings
import io.millrace.tasks.Batch
import io.millrace.tasks.Batching
import io.millrace.tasks.TaskFlow

// snippet: step
Step.measure(args) { RedisUri uri, int count ->
    try (RedisClient client = RedisClient.connect(uri)) {
        def report = TaskFlow.of(0..<count)
                .buffer(2_000)
                .consumers(10)
                .continueOnFailure()
                .batches(Batching.of(200))
                .run { Batch<Integer> batch ->
                    Pipeline pipeline = client.pipeline()
                    batch.tasks().each { int i -> pipeline.add(Strings.set(Step.key(i), "value $i")) }
                    pipeline.run()*.value() // throws the exception of the first failed set
                }
        println "tasks: $report.counts"
        return client.counts()
    }
}
// end
