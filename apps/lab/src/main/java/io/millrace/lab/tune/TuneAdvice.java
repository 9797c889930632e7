// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.experiment.Result;
import io.millrace.lab.tune.Curve.Measured;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** What the sweeps say, as lines for the user: the knee, the bottleneck, and settings to paste. */
public final class TuneAdvice {

    /** Settings to paste, by library and sweep, with {@code %s} for the value. */
    private static final Map<String, Map<Sweep, String>> SETTINGS = Map.of(
            "millrace",
            Map.of(
                    Sweep.CONNECTIONS, "ClientOptions.builder(uri).connections(%s); millrace load --connections %s",
                    Sweep.IN_FLIGHT, "millrace load --in-flight %s",
                    Sweep.BATCH, "pipelines of %s commands",
                    Sweep.FUSION, "mode %s"),
            "jedis",
            Map.of(
                    Sweep.CONNECTIONS, "poolConfig.setMaxTotal(%s); poolConfig.setMaxIdle(%s)",
                    Sweep.BATCH, "pipelines of %s commands"),
            "lettuce",
            Map.of(
                    Sweep.CONNECTIONS, "AsyncPool or ConnectionPoolSupport with %s connections",
                    Sweep.IN_FLIGHT, "at most %s futures without a result",
                    Sweep.BATCH, "setAutoFlushCommands(false), flushCommands() after %s commands"),
            "redisson",
            Map.of(
                    Sweep.CONNECTIONS, "config.useSingleServer().setConnectionPoolSize(%s)",
                    Sweep.IN_FLIGHT, "at most %s futures without a result",
                    Sweep.BATCH, "RBatch of %s commands"),
            "glide",
            Map.of(
                    Sweep.IN_FLIGHT, "at most %s futures without a result; inflightRequestsLimit above this number",
                    Sweep.BATCH, "Batch of %s commands"),
            "spring",
            Map.of(Sweep.BATCH, "executePipelined with %s commands"),
            "vertx",
            Map.of(
                    Sweep.IN_FLIGHT, "at most %s futures without a result; setMaxWaitingHandlers above this number",
                    Sweep.BATCH, "redis.batch with %s commands"));

    /** Whether {@code library} has the setting. A client of the user is assumed to have all settings. */
    static boolean hasSetting(String library, Sweep sweep) {
        return !SETTINGS.containsKey(library) || SETTINGS.get(library).containsKey(sweep);
    }

    /**
     * Lines about all curves in {@code results}; empty if there are none.
     *
     * @param isLocal whether the server runs on this machine
     * @param seed for the intervals
     */
    public static List<String> of(List<Result> results, boolean isLocal, long seed) {
        List<Curve> curves = Curve.of(results, seed);
        return curves.stream()
                .map(curve -> curve.library() + ", " + curve.sweep().scenario + distance(curve.roundTrip()) + ": "
                        + text(curve, curves, isLocal))
                .toList();
    }

    private static String text(Curve curve, List<Curve> curves, boolean isLocal) {
        if (!curve.best().rate().hasEnoughValues()) {
            return "too few rounds for a recommendation";
        }
        return curve.isFlat()
                ? "no difference larger than the noise between "
                        + curve.points().getFirst().point().label() + " and "
                        + curve.points().getLast().point().label()
                : advice(curve, curves, isLocal);
    }

    private static String advice(Curve curve, List<Curve> curves, boolean isLocal) {
        Measured recommended = curve.recommended();
        String label = recommended.point().label();
        Bottleneck bottleneck = Bottleneck.of(
                recommended.result(),
                curve.sweep().window(recommended.point().value()),
                singleCommandSeconds(curve, curves),
                isLocal,
                Runtime.getRuntime().availableProcessors());
        String knee = curve.sweep() == Sweep.FUSION
                ? ""
                : "; knee at " + curve.knee().point().label();
        String setting = SETTINGS.getOrDefault(curve.library(), Map.of()).getOrDefault(curve.sweep(), "");
        return String.format(
                        Locale.ROOT,
                        "use %s, %,.0f commands per second (%,.0f to %,.0f), %.2f of the best",
                        label,
                        recommended.rate().median(),
                        recommended.rate().low(),
                        recommended.rate().high(),
                        recommended.toBest().median())
                + knee + "; bottleneck: " + bottleneck
                + (setting.isEmpty() ? "" : "; set: " + setting.replace("%s", label));
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

    private TuneAdvice() {}
}
