// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO
import fs2.Chunk
import fs2.Stream
import io.millrace.lab.tasks.Observer
import io.millrace.lab.tasks.Scenario
import scala.jdk.CollectionConverters.*
import scala.jdk.DurationConverters.*

/** What the producers and the consumers of a scenario do, as effects. */
private[fs2] final class ScenarioEffects(scenario: Scenario, observer: Observer):

  /** How many tasks may be consumed at once. */
  val consumers: Int = scenario.consumers

  private val produceWait = scenario.produce.toScala
  private val consumeWaits = scenario.consume.asScala.map(_.toScala).toVector

  /** The batches in the order of their numbers, in groups of as many as there are producers. */
  def rounds: List[List[Int]] = List.range(0, scenario.batches).grouped(scenario.producers).toList

  def fetch(batch: Int): IO[Chunk[Int]] =
    IO.sleep(produceWait) >> IO {
      observer.produced(batch)
      Chunk.from(scenario.batch(batch).asScala.map(_.intValue).toVector)
    }

  def consume(task: Int): IO[Unit] =
    IO.sleep(consumeWaits(task)) >> IO(observer.consumed(task))

  /** What each producer makes, a chunk for each batch. */
  def producers: List[Stream[IO, Int]] =
    List.tabulate(scenario.producers) { producer =>
      Stream.range(producer, scenario.batches, scenario.producers).covary[IO].evalMap(fetch).unchunks
    }

  /** What all producers make, joined: none waits for another. */
  def tasks: Stream[IO, Int] = Stream.emits(producers).parJoin(scenario.producers)
