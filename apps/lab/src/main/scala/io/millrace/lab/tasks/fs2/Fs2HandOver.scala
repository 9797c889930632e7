// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO
import cats.effect.std.Queue
import cats.effect.unsafe.implicits.global
import cats.syntax.all.*
import io.millrace.lab.tasks.HandOver
import java.util.function.LongConsumer

import fs2.Chunk
import fs2.Stream

/** Hands over tasks that do nothing, on the global runtime. */
object Fs2HandOver:

  private val Buffer = 1_000
  private val BatchLength = 100L

  private type Program = (producers: List[Stream[IO, Long]], consumers: Int, work: LongConsumer) => IO[Unit]

  /** A parallel map over each task. */
  def stream(): HandOver = handOver { (producers, consumers, work) =>
    val joined = Stream.emits(producers).parJoin(producers.size)
    joined.parEvalMapUnordered(consumers)(number => IO(work.accept(number))).compile.drain
  }

  /** A bounded queue between fibers. */
  def queue(): HandOver = handOver { (producers, consumers, work) =>
    Queue.bounded[IO, Option[Long]](Buffer).flatMap { queue =>
      val produceAll = producers.parTraverse_(_.foreach(number => queue.offer(Some(number))).compile.drain)
      val end = queue.offer(None).replicateA_(consumers)
      lazy val consumer: IO[Unit] = queue.take.flatMap {
        case Some(number) => IO(work.accept(number)) >> consumer
        case None => IO.unit
      }
      (produceAll >> end, List.fill(consumers)(consumer).parSequence_).parTupled.void
    }
  }

  private def handOver(program: Program): HandOver = (producers, consumers, tasks, work) =>
    val bounds = List.tabulate(producers + 1)(tasks * _ / producers)
    program(bounds.zip(bounds.tail).map(numbers), consumers, work).unsafeRunSync()

  /** Numbers in chunks, like the batches of the other libraries. */
  private def numbers(from: Long, until: Long): Stream[IO, Long] =
    Stream.unfoldChunk(from) { next =>
      Option.when(next < until) {
        val end = until.min(next + BatchLength)
        (Chunk.from(next.until(end)), end)
      }
    }
