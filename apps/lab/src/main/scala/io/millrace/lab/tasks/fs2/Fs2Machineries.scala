// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2

import cats.effect.IO
import cats.effect.std.Queue
import cats.syntax.all.*
import fs2.Chunk
import fs2.Stream
import io.millrace.lab.tasks.Machinery
import java.util.Map as JavaMap
import java.util.function.LongConsumer
import scala.collection.immutable.ListMap
import scala.jdk.CollectionConverters.*

/**
 * The machineries of fs2 with cats-effect. `map-unordered` is its parallel map, task by task. `map-unordered-chunks` maps chunks of
 * up to 1,000 tasks instead, which is how fs2 makes cheap work cheap: a consumer then takes a chunk at a time, whoever else is idle.
 */
object Fs2Machineries:

  private type Program = (producers: List[Stream[IO, Long]], consumers: Int, work: LongConsumer) => IO[Unit]

  private val programs: ListMap[String, Program] = ListMap(
    "map-unordered" -> mapUnordered,
    "map-unordered-chunks" -> mapUnorderedChunks,
    "queue" -> queue
  )

  /** Each by its name, in the order of reports. */
  def all(): JavaMap[String, Machinery] = programs.map((name, program) => name -> machinery(program)).asJava

  private def machinery(program: Program): Machinery =
    (producers, consumers, tasks, work) =>
      val bounds = List.tabulate(producers + 1)(tasks * _ / producers)
      Runtimes.run(program(bounds.zip(bounds.tail).map(numbers), consumers, work))

  private def mapUnordered(producers: List[Stream[IO, Long]], consumers: Int, work: LongConsumer): IO[Unit] =
    joined(producers).parEvalMapUnordered(consumers)(number => IO(work.accept(number))).compile.drain

  private def mapUnorderedChunks(producers: List[Stream[IO, Long]], consumers: Int, work: LongConsumer): IO[Unit] =
    joined(producers).chunks.parEvalMapUnordered(consumers)(chunk => IO(chunk.foreach(work.accept))).compile.drain

  private def queue(producers: List[Stream[IO, Long]], consumers: Int, work: LongConsumer): IO[Unit] =
    Queue.bounded[IO, Option[Long]](Buffer.Tasks).flatMap { queue =>
      val produceAll = producers.parTraverse_(_.foreach(number => queue.offer(Some(number))).compile.drain)
      val end = queue.offer(None).replicateA_(consumers)
      lazy val consumer: IO[Unit] = queue.take.flatMap {
        case Some(number) => IO(work.accept(number)) >> consumer
        case None => IO.unit
      }
      (produceAll >> end, List.fill(consumers)(consumer).parSequence_).parTupled.void
    }

  private def joined(producers: List[Stream[IO, Long]]): Stream[IO, Long] =
    Stream.emits(producers).parJoin(producers.size)

  /** In chunks, as what comes from a file or a query does: from `Stream.range`, which emits one by one, each task costs more. */
  private def numbers(from: Long, until: Long): Stream[IO, Long] =
    Stream.unfoldChunk(from) { next =>
      Option.when(next < until) {
        val end = until.min(next + Buffer.Tasks)
        (Chunk.from(next.until(end)), end)
      }
    }
