// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO
import cats.effect.std.Queue
import cats.effect.std.Semaphore
import cats.effect.unsafe.IORuntime
import cats.syntax.all.*
import io.millrace.lab.tasks.Approach
import io.millrace.lab.tasks.ApproachMode
import java.util.concurrent.ArrayBlockingQueue
import java.util.Optional
import scala.concurrent.Await
import scala.concurrent.duration.Duration

import fs2.Stream

/**
 * The approaches in fs2 with cats-effect. The runtime of cats-effect steals fibers, but has no queue per consumer, so
 * there is no approach with work stealing.
 */
object Fs2Approaches:

  private val Buffer = 1_000

  /** Five batches in the channel of prefetchN, and five that the reader has taken from the channel at once. */
  private val BatchesAhead = 5

  def of(mode: ApproachMode): Optional[Approach] = mode match
    case ApproachMode.WORK_STEALING => Optional.empty
    case ApproachMode.BATCH => Optional.of(batchByBatch())
    case ApproachMode.BLOCKING_QUEUE => Optional.of(blockingQueue())
    case ApproachMode.NONBLOCKING_QUEUE | ApproachMode.TWO_PRODUCERS_QUEUE => Optional.of(nonBlockingQueue())
    case _ if mode.isOrdered => Optional.of(ordered(mode.window, prefetch = mode.batchesAhead > 1))
    case _ => Optional.of(unordered())

  private def batchByBatch(): Approach = approach { effects =>
    effects
      .batches(0)
      .evalMap(batch => IO.parTraverseN_(effects.consumers)(batch.toList)(effects.consume))
      .compile
      .drain
  }

  /** The queue of the JDK: a consumer that waits for a task blocks a thread, and the runtime adds another thread. */
  private def blockingQueue(): Approach = approach { effects =>
    IO(ArrayBlockingQueue[Option[Int]](Buffer)).flatMap { queue =>
      throughQueue(effects)(task => IO.interruptible(queue.put(task)), IO.interruptible(queue.take()))
    }
  }

  /** The queue of cats-effect: a consumer that waits for a task blocks no thread. */
  private def nonBlockingQueue(): Approach = approach { effects =>
    Queue.bounded[IO, Option[Int]](Buffer).flatMap(queue => throughQueue(effects)(queue.offer, queue.take))
  }

  /** A fiber for each producer and each consumer. None follows the last task, once for each consumer. */
  private def throughQueue(effects: ScenarioEffects)(offer: Option[Int] => IO[Unit], take: IO[Option[Int]]): IO[Unit] =
    val produceAll = effects.producers.parTraverse_(_.foreach(task => offer(Some(task))).compile.drain)
    val end = offer(None).replicateA_(effects.consumers)
    val consumer = Stream.repeatEval(take).unNoneTerminate.foreach(effects.consume).compile.drain
    val consumeAll = List.fill(effects.consumers)(consumer).parSequence_
    (produceAll >> end, consumeAll).parTupled.void

  /**
   * Delivers results in the order of the tasks, with at most `window` tasks in parEvalMap. The window is larger than the
   * number of consumers, so a semaphore limits the consumers.
   */
  private def ordered(window: Int, prefetch: Boolean): Approach = approach { effects =>
    Semaphore[IO](effects.consumers).flatMap { permits =>
      val tasks = if prefetch then effects.tasks.prefetch else effects.tasks
      tasks.parEvalMap(window)(task => permits.permit.surround(effects.consume(task))).compile.drain
    }
  }

  /** Delivers results in the order of completion, and fetches batches in advance. */
  private def unordered(): Approach = approach { effects =>
    effects.tasks.prefetchN(BatchesAhead).parEvalMapUnordered(effects.consumers)(effects.consume).compile.drain
  }

  /** Each run has a default runtime of its own, because the threads of the global runtime never end. */
  private def approach(program: ScenarioEffects => IO[Unit]): Approach = (scenario, observer) =>
    val runtime = IORuntime.builder().build()
    try
      val finished = program(ScenarioEffects(scenario, observer)).unsafeToFuture()(using runtime)
      Await.result(finished, Duration.Inf)
    finally runtime.shutdown()
