// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where and with what a run was made.
 *
 * @param commit of the source tree, with {@code +changes} if the tree has changes; empty outside a source tree
 * @param cpu model of the processor; empty if unknown
 * @param loadAverage runnable threads of the machine, averaged over the minute before the first round; empty if unknown
 * @param server version of the server
 * @param versions versions of libraries and programs by name; {@code gc} and {@code heap} of a worker without own options
 */
public record Environment(
        Instant date,
        Optional<String> commit,
        String java,
        Optional<String> cpu,
        int cores,
        OptionalDouble loadAverage,
        String server,
        Map<String, String> versions) {

    /** A class of each library. The path of the class contains the name of the jar, and thus the version. */
    private static final Map<String, String> CLASSES = Map.ofEntries(
            Map.entry("jedis", "redis/clients/jedis/Jedis"),
            Map.entry("lettuce", "io/lettuce/core/RedisClient"),
            Map.entry("redisson", "org/redisson/Redisson"),
            Map.entry("glide", "glide/api/GlideClient"),
            Map.entry("spring", "org/springframework/data/redis/core/RedisTemplate"),
            Map.entry("vertx", "io/vertx/redis/client/Redis"),
            Map.entry("netty", "io/netty/util/Version"),
            Map.entry("fs2", "fs2/Stream"),
            Map.entry("cats-effect", "cats/effect/IO"),
            Map.entry("reactor", "reactor/core/publisher/Flux"));

    /** Names all collectors, because the flags of some settings also begin with {@code Use} and end with {@code GC}. */
    private static final Pattern FLAG = Pattern.compile(
            " Use(?<collector>Serial|Parallel|G1|Z|Shenandoah|Epsilon)GC += true| MaxHeapSize += (?<bytes>\\d+)");

    private static final Pattern VERSION_IN_JAR = Pattern.compile("/[^/]*?-(\\d[^/]*?)(-(linux|osx)[^/]*)?\\.jar!");

    public Environment {
        versions = new TreeMap<>(versions);
    }

    /** This machine at this moment. Call before the first round, because of the load average. */
    public static Environment here(Clock clock, String serverVersion) {
        Map<String, String> versions = new TreeMap<>();
        versions.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        versions.putAll(heapOfWorkers());
        millrace().ifPresent(version -> versions.put("millrace", version));
        CLASSES.forEach((name, type) -> versionOfJar(type).ifPresent(version -> versions.put(name, version)));
        output(List.of("redis-cli", "--version"))
                .ifPresent(version -> versions.put("redis-cli", version.replace("redis-cli ", "")));
        return new Environment(
                clock.instant().truncatedTo(ChronoUnit.SECONDS),
                currentCommit(),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                processor(),
                Runtime.getRuntime().availableProcessors(),
                loadAverageNow(),
                serverVersion,
                versions);
    }

    /** The lab itself may use another collector and another heap, so a JVM with the options of a worker tells both. */
    private static Map<String, String> heapOfWorkers() {
        List<String> command =
                new ArrayList<>(Programs.jvm(Environment.class, List.of("-XX:+PrintFlagsFinal"), List.of()));
        command.set(command.size() - 1, "-version"); // Instead of a main class.
        return collectorAndHeap(output(command).orElse(""));
    }

    /** The entries {@code gc} and {@code heap} of the {@code versions}, from the output of {@code PrintFlagsFinal}. */
    static Map<String, String> collectorAndHeap(String flags) {
        Map<String, String> found = new TreeMap<>();
        flags.lines().map(FLAG::matcher).filter(Matcher::find).forEach(flag -> {
            if (flag.group("collector") != null) {
                found.put("gc", flag.group("collector"));
            } else {
                found.put("heap", Long.parseLong(flag.group("bytes")) / (1 << 20) + " MiB");
            }
        });
        return found;
    }

    private static Optional<String> millrace() {
        return Optional.ofNullable(Environment.class.getPackage().getImplementationVersion());
    }

    private static Optional<String> versionOfJar(String type) {
        return Optional.ofNullable(Environment.class.getResource("/" + type + ".class"))
                .map(url -> VERSION_IN_JAR.matcher(url.getPath()))
                .filter(Matcher::find)
                .map(found -> found.group(1));
    }

    /** The commit of Millrace's own source tree, not of the folder in which the user started the lab. */
    private static Optional<String> currentCommit() {
        return location()
                .flatMap(folder -> output(List.of("git", "-C", folder, "rev-parse", "--show-toplevel")))
                .filter(root -> Files.isDirectory(Path.of(root, "apps", "lab", "src")))
                .flatMap(root -> output(List.of("git", "-C", root, "rev-parse", "HEAD"))
                        .map(commit -> output(List.of("git", "-C", root, "status", "--porcelain"))
                                .map(changes -> commit + "+changes")
                                .orElse(commit)));
    }

    /** The folder that contains this class or its jar. */
    private static Optional<String> location() {
        try {
            Path code = Path.of(Environment.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return Optional.of((Files.isDirectory(code) ? code : code.resolveSibling("")).toString());
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        } catch (IOException e) {
            return output(List.of("sysctl", "-n", "machdep.cpu.brand_string"));
        }
    }

    private static OptionalDouble loadAverageNow() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return load < 0 ? OptionalDouble.empty() : OptionalDouble.of(load);
    }

    /** Output of {@code command} without surrounding white space; empty if the command fails or prints nothing. */
    private static Optional<String> output(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 && !text.isBlank() ? Optional.of(text.strip()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // The program is not installed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
