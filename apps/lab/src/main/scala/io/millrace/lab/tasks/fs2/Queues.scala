// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO
import cats.effect.std.Queue
import cats.syntax.all.*
import fs2.Stream
import java.util.concurrent.ArrayBlockingQueue

/** A bounded queue between producers and consumers, and a fiber for each of both. None, once for each consumer, is the end. */
private[fs2] object Queues:

  /** The JDK's queue: who waits for it holds a thread, which the runtime replaces by another. */
  def blocking(scenario: ScenarioEffects): IO[Unit] =
    IO(ArrayBlockingQueue[Option[Int]](Buffer.Tasks)).flatMap { queue =>
      between(scenario)(task => IO.interruptible(queue.put(task)), IO.interruptible(queue.take()))
    }

  /** The queue of cats-effect: who waits for it holds no thread. */
  def nonBlocking(scenario: ScenarioEffects): IO[Unit] =
    Queue.bounded[IO, Option[Int]](Buffer.Tasks).flatMap { queue =>
      between(scenario)(queue.offer, queue.take)
    }

  private def between(scenario: ScenarioEffects)(offer: Option[Int] => IO[Unit], take: IO[Option[Int]]): IO[Unit] =
    val produceAll = scenario.producers.parTraverse_(_.foreach(task => offer(Some(task))).compile.drain)
    val end = offer(None).replicateA_(scenario.consumers)
    val consumer = Stream.repeatEval(take).unNoneTerminate.foreach(scenario.consume).compile.drain
    val consumeAll = List.fill(scenario.consumers)(consumer).parSequence_
    (produceAll >> end, consumeAll).parTupled.void
