// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO
import io.millrace.lab.tasks.Approach
import java.util.Map as JavaMap
import scala.collection.immutable.ListMap
import scala.jdk.CollectionConverters.*

/** The approaches in fs2 with cats-effect. */
object Fs2Approaches:

  private val programs: ListMap[String, ScenarioEffects => IO[Unit]] = ListMap(
    "batch" -> Batches.batchByBatch,
    "blocking-queue" -> Queues.blocking,
    "nonblocking-queue" -> Queues.nonBlocking,
    "stream-ordered" -> Streams.ordered,
    "stream-ordered-prefetch" -> Streams.orderedPrefetch,
    "two-producers-queue" -> Queues.nonBlocking,
    "two-producers-streams" -> Streams.ordered,
    "unordered" -> Streams.unordered,
    "ten-producers" -> Streams.unordered
  )

  /** Each by the name of its variant, in the order of reports. How many producers there are is the scenario's to say. */
  def all(): JavaMap[String, Approach] = programs.map((name, program) => name -> approach(program)).asJava

  private def approach(program: ScenarioEffects => IO[Unit]): Approach =
    (scenario, observer) => Runtimes.run(program(ScenarioEffects(scenario, observer)))
