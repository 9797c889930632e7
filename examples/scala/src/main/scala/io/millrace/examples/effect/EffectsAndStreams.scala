// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.effect

import cats.effect.ExitCode
import cats.effect.IO
import cats.effect.IOApp
import cats.effect.Resource
import fs2.Chunk
import fs2.Pipe
import fs2.Stream
import io.millrace.client.Outcome
import io.millrace.client.RedisClient
import io.millrace.client.RedisUri
import io.millrace.client.command.Command
import io.millrace.client.command.Keys
import io.millrace.client.command.Strings

/** Runs commands as effects of cats-effect, and counts the page visits of a stream of fs2 in pipelines. */
object EffectsAndStreams extends IOApp:

  private val Visits = "example:scala:"
  private val NoOutcomes = Map.empty[String, Int]

  // snippet: effects
  /** Connects, and closes the client after its last use. */
  def connect(uri: String): Resource[IO, RedisClient] =
    Resource.fromAutoCloseable(IO.blocking(RedisClient.connect(RedisUri.parse(uri))))

  /** Runs a command. No thread waits for the reply. */
  def send[A](client: RedisClient, command: Command[A]): IO[A] =
    IO.fromCompletableFuture(IO(client.send(command)))

  /** Runs a command, and waits for the reply on a thread for blocking work. */
  def call[A](client: RedisClient, command: Command[A]): IO[A] =
    IO.interruptible(client.call(command))
  // end

  // snippet: stream
  /** Counts one visit of each page, and emits the pages with the outcomes of their commands. */
  def countVisits(client: RedisClient): Pipe[IO, String, (String, Outcome)] =
    pages => pages.chunkN(500).parEvalMap(2)(chunk => IO.blocking(runPipeline(client, chunk))).unchunks

  /** Sends one pipeline and waits once for all its replies. */
  private def runPipeline(client: RedisClient, pages: Chunk[String]): Chunk[(String, Outcome)] =
    val pipeline = client.pipeline()
    val results = pages.map(page => (page, pipeline.add(Strings.increment(Visits + page))))
    pipeline.run()
    results.map((page, result) => (page, result.outcome))
  // end

  // snippet: program
  override def run(args: List[String]): IO[ExitCode] =
    connect(args.headOption.getOrElse("redis://127.0.0.1:6379")).use { client =>
      val visits = Stream.range(0, 10_000).covary[IO].map(visit => s"page ${visit % 100}")
      for
        _ <- send(client, Strings.set(Visits + "page 7", "not a number")) // the visits of this page cannot be counted
        outcomes <- visits.through(countVisits(client)).map((_, outcome) => outcome).compile.fold(NoOutcomes)(count)
        visitsOfPage8 <- call(client, Strings.get(Visits + "page 8"))
        _ <- IO.println(s"${outcomes.toList.sorted.mkString(", ")}, page 8: ${visitsOfPage8.orElse("none")}")
        _ <- send(client, Keys.delete((0 until 100).map(page => s"${Visits}page $page")*))
      yield ExitCode.Success
    }
  // end

  private def count(counts: Map[String, Int], outcome: Outcome): Map[String, Int] =
    val kind = outcome match
      case failed: Outcome.Failed => failed.error.message
      case other => other.getClass.getSimpleName
    counts.updated(kind, counts.getOrElse(kind, 0) + 1)
