// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.experiment.Result;
import io.millrace.lab.tune.Curve.Measured;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** What the sweeps say, as lines for the user: the knee, the bottleneck, and settings to paste. */
public final class TuneAdvice {

    /** Settings to paste, with {@code %s} for the value. The second key is the name of a sweep. */
    private static final Map<String, Map<String, String>> SETTINGS = Map.of(
            "millrace",
                    Map.of(
                            "connections", "ClientOptions.builder(uri).connections(%s); millrace load --connections %s",
                            "in-flight", "millrace load --in-flight %s",
                            "batch", "pipelines of %s commands"),
            "jedis",
                    Map.of(
                            "connections", "poolConfig.setMaxTotal(%1$s); poolConfig.setMaxIdle(%1$s)",
                            "batch", "pipelines of %s commands"),
            "lettuce",
                    Map.of(
                            "connections", "AsyncPool or ConnectionPoolSupport with %s connections",
                            "in-flight", "at most %s futures without a result",
                            "batch", "setAutoFlushCommands(false), flushCommands() after %s commands"),
            "redisson",
                    Map.of(
                            "connections", "config.useSingleServer().setConnectionPoolSize(%s)",
                            "in-flight", "at most %s futures without a result",
                            "batch", "RBatch of %s commands"),
            "glide",
                    Map.of(
                            "in-flight", "GlideClientConfiguration.builder().inflightRequestsLimit(%s)",
                            "batch", "Batch of %s commands"),
            "spring",
                    Map.of(
                            "connections", "LettucePoolingClientConfiguration with setMaxTotal(%s)",
                            "batch", "executePipelined with %s commands"),
            "vertx",
                    Map.of(
                            "connections", "new RedisOptions().setMaxPoolSize(%s)",
                            "in-flight", "new RedisOptions().setMaxWaitingHandlers(%s)",
                            "batch", "redis.batch with %s commands"));

    /**
     * Lines about all curves in {@code results}; empty if there are none.
     *
     * @param isLocal whether the server runs on this machine
     * @param seed for the intervals
     */
    public static List<String> of(List<Result> results, boolean isLocal, long seed) {
        List<Curve> curves = Curve.of(results, seed);
        List<String> lines = new ArrayList<>();
        for (Curve curve : curves) {
            lines.add(sentence(curve, curves, isLocal));
        }
        return lines;
    }

    private static String sentence(Curve curve, List<Curve> curves, boolean isLocal) {
        String start = curve.library() + ", " + curve.sweep().scenario + distance(curve.roundTrip()) + ": ";
        if (curve.isFlat()) {
            return start + "no difference larger than the noise between "
                    + curve.points().getFirst().point().label() + " and "
                    + curve.points().getLast().point().label();
        }
        Measured recommended = curve.recommended();
        int window = curve.sweep().window(recommended.point().value());
        Bottleneck bottleneck = Bottleneck.of(
                recommended.result(),
                window,
                singleCommandSeconds(curve, curves),
                isLocal,
                Runtime.getRuntime().availableProcessors());
        return start + "use " + recommended.point().label() + ", "
                + String.format(
                        Locale.ROOT,
                        "%,.0f commands per second (%,.0f to %,.0f), %.2f of the best",
                        recommended.rate().median(),
                        recommended.rate().low(),
                        recommended.rate().high(),
                        recommended.toBest().median())
                + (curve.sweep() == Sweep.MODE
                        ? ""
                        : "; knee at " + curve.knee().point().label()) + "; bottleneck: "
                + bottleneck + setting(curve);
    }

    private static String distance(Duration roundTrip) {
        return roundTrip.isZero() ? "" : String.format(Locale.ROOT, " (+%.3f ms)", roundTrip.toNanos() / 1e6);
    }

    /** Batches of one command wait for each reply, so their rate tells the duration of a command. */
    private static OptionalDouble singleCommandSeconds(Curve curve, List<Curve> curves) {
        return curves.stream()
                .filter(other -> other.sweep() == Sweep.BATCH
                        && other.library().equals(curve.library())
                        && other.roundTrip().equals(curve.roundTrip()))
                .map(other -> other.points().getFirst())
                .filter(point -> point.point().value() == 1)
                .mapToDouble(point -> 1 / point.rate().median())
                .findFirst();
    }

    private static String setting(Curve curve) {
        String label = curve.recommended().point().label();
        String setting = SETTINGS.getOrDefault(curve.library(), Map.of()).getOrDefault(curve.sweep().scenario, "");
        return setting.isEmpty()
                ? ""
                : "; set: " + setting.replace("%1$s", label).replace("%s", label);
    }

    private TuneAdvice() {}
}
