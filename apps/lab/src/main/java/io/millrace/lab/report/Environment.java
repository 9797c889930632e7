// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.run.Checkout;
import io.millrace.lab.run.LabException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where and with what a run was made.
 *
 * @param commit of the source tree, with {@code +changes} if it had any; empty if it cannot be told
 * @param cpu model of the processor; empty if it cannot be told
 * @param loadAverage number of runnable threads of the machine, averaged over the minute before the first round; empty
 *     if the operating system has no load average
 * @param versions of contenders, by name
 */
public record Environment(
        Instant date,
        Optional<String> commit,
        String java,
        Optional<String> cpu,
        OptionalDouble loadAverage,
        int cores,
        String server,
        Map<String, String> versions) {

    public Environment {
        versions = new TreeMap<>(versions);
    }

    /** Of this machine and this moment, with the server that is on the PATH. */
    public static Environment here(Clock clock) {
        return here(
                clock,
                output(List.of("redis-server", "--version"))
                        .map(text -> text.replaceFirst(".*\\bv=(\\S+).*", "$1"))
                        .orElse("unknown"));
    }

    /** Of this machine and this moment, with a server of the version {@code server}. */
    public static Environment here(Clock clock, String server) {
        var versions = new TreeMap<String, String>();
        versions.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        Optional.ofNullable(Environment.class.getPackage().getImplementationVersion())
                .ifPresent(version -> versions.put("millrace", version));
        versions.putAll(ofLibraries());
        output(List.of("redis-cli", "--version"))
                .ifPresent(version -> versions.put("redis-cli", version.replace("redis-cli ", "")));
        return new Environment(
                clock.instant().truncatedTo(ChronoUnit.SECONDS),
                currentCommit(),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                processor(),
                loadAverageNow(),
                Runtime.getRuntime().availableProcessors(),
                server,
                versions);
    }

    /** By the names that the libraries have in the lab; without one whose jar does not say. */
    private static Map<String, String> ofLibraries() {
        var versions = new TreeMap<String, String>();
        versionOf("redis.clients", "jedis").ifPresent(version -> versions.put("jedis", version));
        versionOf("io.lettuce", "lettuce-core").ifPresent(version -> versions.put("lettuce", version));
        versionOf("org.redisson", "redisson").ifPresent(version -> versions.put("redisson", version));
        versionOf("org.springframework.data", "spring-data-redis")
                .ifPresent(version -> versions.put("spring", version));
        versionOf("io.vertx", "vertx-redis-client").ifPresent(version -> versions.put("vertx", version));
        versionOf("io.netty", "netty-common").ifPresent(version -> versions.put("netty", version));
        versionInName("valkey-glide", "/glide/api/GlideClient.class")
                .ifPresent(version -> versions.put("glide", version));
        versionInName("fs2-core_3", "/fs2/Stream.class").ifPresent(version -> versions.put("fs2", version));
        versionInName("cats-effect_3", "/cats/effect/IO.class")
                .ifPresent(version -> versions.put("cats-effect", version));
        versionInName("reactor-core", "/reactor/core/publisher/Flux.class")
                .ifPresent(version -> versions.put("reactor", version));
        versionInName("channels", "/com/softwaremill/jox/Channel.class")
                .ifPresent(version -> versions.put("jox", version));
        return versions;
    }

    /** Of a jar that says it nowhere but in its name. */
    private static Optional<String> versionInName(String artifact, String classInJar) {
        var name = Pattern.compile("/" + Pattern.quote(artifact) + "-(\\d[^/]*?)\\.jar!");
        return Optional.ofNullable(Environment.class.getResource(classInJar))
                .map(url -> name.matcher(url.getPath()))
                .filter(Matcher::find)
                .map(found -> found.group(1));
    }

    private static Optional<String> currentCommit() {
        try {
            var root = Checkout.root().toString();
            return output(List.of("git", "-C", root, "rev-parse", "HEAD"))
                    .map(commit -> output(List.of("git", "-C", root, "status", "--porcelain"))
                            .map(changes -> commit + "+changes")
                            .orElse(commit));
        } catch (LabException e) {
            return Optional.empty(); // not in a source tree: then there is no commit
        }
    }

    private static Optional<String> processor() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
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

    private static Optional<String> versionOf(String group, String artifact) {
        var path = "/META-INF/maven/" + group + "/" + artifact + "/pom.properties";
        try (InputStream in = Environment.class.getResourceAsStream(path)) {
            if (in == null) {
                return Optional.empty();
            }
            var properties = new Properties();
            properties.load(in);
            return Optional.ofNullable(properties.getProperty("version"));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** What {@code command} prints, without the white space around it; empty if that is nothing, or if it fails. */
    private static Optional<String> output(List<String> command) {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 && !text.isBlank() ? Optional.of(text.strip()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
