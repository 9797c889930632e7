// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO
import fs2.Chunk
import fs2.Stream
import io.millrace.lab.tasks.Approach
import io.millrace.lab.tasks.TaskScenario
import scala.jdk.CollectionConverters.*
import scala.jdk.DurationConverters.*

/** The producers and the consumers of a scenario as effects. */
private[fs2] final class ScenarioEffects(scenario: TaskScenario, observer: Approach.Observer):

  val consumers: Int = scenario.consumers

  private val produceWait = scenario.produce.toScala
  private val consumeWaits = scenario.consume.asScala.map(_.toScala).toVector

  /** The batches of one producer, each fetched when the stream is pulled. */
  def batches(producer: Int): Stream[IO, Chunk[Int]] =
    Stream.range(producer, scenario.batches, scenario.producers).covary[IO].evalMap(fetch)

  private def fetch(batch: Int): IO[Chunk[Int]] =
    IO.sleep(produceWait) >> IO {
      observer.produced(batch)
      Chunk.from(scenario.batch(batch).asScala.map(_.intValue).toVector)
    }

  def consume(task: Int): IO[Unit] =
    IO.sleep(consumeWaits(task)) >> IO(observer.consumed(task))

  /** The tasks of each producer, one chunk for each batch. */
  def producers: List[Stream[IO, Int]] = List.tabulate(scenario.producers)(batches(_).unchunks)

  /** The tasks of all producers, merged. */
  def tasks: Stream[IO, Int] = Stream.emits(producers).parJoin(scenario.producers)
