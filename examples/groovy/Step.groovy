// SPDX-License-Identifier: Apache-2.0
// Shared by the scripts of this folder: reads the arguments, measures a step, checks its counts, deletes its keys.
@Grab('io.millrace:millrace-client:0.2.0-SNAPSHOT')
import com.sun.management.OperatingSystemMXBean
import io.millrace.client.CommandCounts
import io.millrace.client.Pipeline
import io.millrace.client.RedisClient
import io.millrace.client.RedisUri
import io.millrace.client.command.Keys
import io.millrace.client.exception.RedisException
import java.lang.management.ManagementFactory
import java.util.concurrent.Callable
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors
import java.util.concurrent.Future

class Step {

    private static final int MAX_COUNT = 10_000_000

    /** The key of number {@code i}. */
    static String key(int i) {
        return "example:groovy:" + i
    }

    /**
     * Measures {@code body} and ends the process with an error if not all sets were acknowledged.
     *
     * @param body sets the keys of the numbers from 0 to COUNT - 1, and returns the outcomes of its commands
     */
    static void measure(String[] args, int defaultCount = 100_000, Closure<CommandCounts> body) {
        String script = body.owner.class.simpleName
        List<String> uris = args.findAll { it.contains('://') }
        List<String> counts = args.toList() - uris
        RedisUri uri = null
        int count = 0
        try {
            if (uris.size() > 1 || counts.size() > 1) {
                throw new IllegalArgumentException('too many arguments')
            }
            uri = RedisUri.parse(uris ? uris[0] : 'redis://127.0.0.1:6379')
            count = counts ? countOf(counts[0]) : defaultCount
        } catch (IllegalArgumentException e) {
            fail(2, "$script: $e.message. Usage: groovy ${script}.groovy [redis://HOST:PORT] [COUNT]")
        }
        try {
            report(script, count, uri, body)
        } catch (RedisException e) {
            fail(1, "$script: $e.message")
        }
    }

    /** Runs {@code body} in {@code threads} threads, with the number of the thread from 0. Waits for all threads. */
    static void inThreads(int threads, Closure<?> body) {
        try (def executor = Executors.newFixedThreadPool(threads)) {
            List<Callable<?>> calls = (0..<threads).collect { int thread -> { -> body(thread) } as Callable<?> }
            executor.invokeAll(calls).each { Future<?> end -> end.get() }
        } catch (ExecutionException e) {
            throw e.cause
        }
    }

    private static int countOf(String text) {
        if (!(text ==~ /\d{1,8}/) || text.toInteger() < 1 || text.toInteger() > MAX_COUNT) {
            throw new IllegalArgumentException("COUNT must be a number from 1 to $MAX_COUNT")
        }
        return text.toInteger()
    }

    private static void report(String script, int count, RedisUri uri, Closure<CommandCounts> body) {
        CommandCounts counts
        String times
        long deleted
        try {
            List<Double> before = cpuSeconds()
            long begin = System.nanoTime()
            counts = body(uri, count)
            double real = (System.nanoTime() - begin) / 1e9
            List<Double> after = cpuSeconds()
            times = timesOf(real, after[0] - before[0], after[1] - before[1])
        } finally {
            deleted = deleteKeys(uri, count)
        }
        println "$script: $count sets, $counts.ok ok, $deleted keys deleted"
        println times
        if (counts.ok() != count || deleted != count) {
            fail(1, "$script: not every set was acknowledged and stored: $counts, deleted=$deleted")
        }
    }

    private static String timesOf(double real, double user, double system) {
        return String.format(Locale.ROOT, 'real %.2f s, user %.2f s, sys %.2f s, CPU %.0f %%',
                real, user, system, 100 * (user + system) / real)
    }

    /** Deletes the keys of a step, and returns how many existed. */
    private static long deleteKeys(RedisUri uri, int count) {
        try (RedisClient client = RedisClient.connect(uri)) {
            Pipeline pipeline = client.pipeline()
            for (int from = 0; from < count; from += 1_000) {
                pipeline.add(Keys.unlink((from..<Math.min(from + 1_000, count)).collect { key(it) } as String[]))
            }
            return pipeline.run()*.value().sum() as long
        }
    }

    /**
     * User and system time of this process, with all its threads. The JVM knows only their sum. On Linux, the system
     * time comes from the kernel, in ticks of 10 ms. On macOS, the user time comes from ps.
     */
    private static List<Double> cpuSeconds() {
        double sum = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean).processCpuTime / 1e9
        File file = new File('/proc/self/stat')
        if (file.exists()) {
            String stat = file.text
            // The name of the program may contain blanks, so the fields are counted from the end of the name.
            double system = stat.substring(stat.lastIndexOf(')')).split(' ')[13].toLong() / 100d
            return [sum - system, system]
        }
        // The output of ps is like 1:02.50, for 62.5 seconds.
        String utime = "env LC_ALL=C ps -o utime= -p ${ProcessHandle.current().pid()}".execute().text.trim()
        double user = utime.split(':').inject(0d) { double seconds, String part -> seconds * 60 + part.toDouble() }
        return [user, sum - user]
    }

    private static void fail(int exitCode, String message) {
        System.err.println(message)
        System.exit(exitCode)
    }
}
