// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.BulkOptions;
import io.millrace.load.CheckpointOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.Reload;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Creates the options of a load from the keys of a job. */
final class JobOptionsFactory {

    private static final Pattern PERCENTAGE = Pattern.compile("(?:sample:)?(\\d{1,3}(?:\\.\\d{1,6})?)%");

    private final JobProperties keys;
    private final String name;
    private final String prefix;

    /** @param name name of the load job */
    JobOptionsFactory(JobProperties keys, String name) {
        this.keys = keys;
        this.name = name;
        this.prefix = LoadProperties.prefix(name);
    }

    /**
     * Returns the options.
     *
     * @throws KeyException if a key is out of range, or if keys contradict each other
     */
    LoadOptions create() {
        SettingKeys settings = new SettingKeys(prefix);
        LoadOptions.Builder options = LoadOptions.builder();
        settings.set("connections", keys.connections(), LoadOptions.CONNECTIONS, options::connections);
        settings.set("in-flight", keys.inFlight(), BulkOptions.IN_FLIGHT, options::inFlight);
        settings.set(
                "in-flight-bytes", bytes(keys.inFlightBytes()), BulkOptions.IN_FLIGHT_BYTES, options::inFlightBytes);
        settings.set("timeout", keys.timeout(), LoadOptions.TIMEOUT, options::timeout);
        settings.set("limit", keys.limit(), LoadOptions.LIMIT, options::limit);
        settings.set("rate", keys.rate(), LoadOptions.RATE, options::rate);
        settings.set("max-errors", keys.maxErrors(), LoadOptions.MAX_ERRORS, options::maxErrors);
        settings.set("patience", keys.patience(), LoadOptions.PATIENCE, options::patience);
        if (keys.onError() != null) {
            options.onError(keys.onError());
        }
        Verification verification = verification();
        options.verify(verification);
        path("rejects", keys.rejects()).ifPresent(options::rejects);
        path("differences", keys.differences()).ifPresent(options::differences);
        if (keys.dryRun()) {
            options.dryRun();
        }
        if (!keys.fusion()) {
            options.withoutFusion();
        }
        reload().ifPresent(options::reload);
        checkpoint().ifPresent(options::checkpoint);
        checkContradictions(verification);
        return settings.build(options::build);
    }

    private void checkContradictions(Verification verification) {
        boolean verifies = verification.share() > 0;
        if (verifies && keys.dryRun()) {
            throw new KeyException(
                    prefix + ".verify cannot be used: " + prefix + ".dry-run=true writes nothing",
                    "Remove one of the keys.");
        }
        if (keys.differences() != null && !verifies) {
            throw new KeyException(
                    prefix + ".differences needs a verification", "Set " + prefix + ".verify, for example to full.");
        }
        if (keys.maxErrors() != null && keys.onError() == LoadOptions.OnError.STOP) {
            throw new KeyException(
                    prefix + ".max-errors has no meaning: " + prefix + ".on-error=stop ends the load at the first "
                            + "rejected row",
                    "Remove one of the keys.");
        }
    }

    private Optional<Reload> reload() {
        JobProperties.Reload reload = keys.reload();
        if (!reload.swap() && !reload.prune()) {
            refuse(reload.job() != null, "reload.job", "reload.swap or reload.prune is missing");
            return Optional.empty();
        }
        refuse(
                reload.prune() && keys.limit() != null,
                "reload.prune",
                "with limit, the keys of the rows that are not read would be removed");
        refuse(reload.swap() && keys.onlyMissing(), "reload.swap", "only-missing is set, and a swap replaces all keys");
        String job = reload.job() == null ? name : reload.job();
        return Optional.of(withKey("reload.job", job, text -> new Reload(text, reload.swap(), reload.prune())));
    }

    private Optional<CheckpointOptions> checkpoint() {
        JobProperties.Checkpoint checkpoint = keys.checkpoint();
        if (checkpoint.name() == null) {
            String missing = "checkpoint.name is missing";
            refuse(checkpoint.directory() != null, "checkpoint.directory", missing);
            refuse(checkpoint.resume(), "checkpoint.resume", missing);
            refuse(checkpoint.serverKeptData(), "checkpoint.server-kept-data", missing);
            return Optional.empty();
        }
        refuse(
                checkpoint.serverKeptData() && !checkpoint.resume(),
                "checkpoint.server-kept-data",
                "checkpoint.resume is missing");
        refuse(keys.dryRun(), "checkpoint.name", "dry-run=true writes nothing");
        refuse(
                keys.reload().swap() || keys.reload().prune(),
                "checkpoint.name",
                "a load with reload.* begins again after an interruption");
        Path directory = path("checkpoint.directory", checkpoint.directory()).orElse(Path.of(""));
        return Optional.of(withKey(
                "checkpoint.name",
                checkpoint.name(),
                text -> new CheckpointOptions(text, directory, checkpoint.resume(), checkpoint.serverKeptData())));
    }

    private void refuse(boolean contradiction, String key, String why) {
        if (contradiction) {
            throw new KeyException(
                    prefix + "." + key + " cannot be used: " + why, "Remove the key, or correct the others.");
        }
    }

    /** Creates a part of the options from a name. A name that the part refuses is reported with its key. */
    private <T> T withKey(String key, String text, Function<String, T> part) {
        try {
            return part.apply(text);
        } catch (IllegalArgumentException refused) {
            throw new KeyException(
                    prefix + "." + key + "=" + text + " is not a name: " + refused.getMessage(),
                    "Choose another name.",
                    refused);
        }
    }

    private Verification verification() {
        String text = keys.verify();
        if (text == null || text.equals("none")) {
            return Verification.NONE;
        }
        if (text.equals("full")) {
            return Verification.FULL;
        }
        Matcher matcher = PERCENTAGE.matcher(text);
        double percent = matcher.matches() ? Double.parseDouble(matcher.group(1)) : 0;
        if (percent <= 0 || percent > 100) {
            throw new KeyException(
                    prefix + ".verify=" + text + " is not a share",
                    "Write none, full, or a percentage above 0 and up to 100, such as 1%.");
        }
        return new Verification(percent / 100);
    }

    private Optional<Path> path(String key, @Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Path.of(text));
        } catch (InvalidPathException invalid) {
            throw new KeyException(prefix + "." + key + "=" + text + " is not a path", "Correct the path.", invalid);
        }
    }

    private static @Nullable Long bytes(@Nullable DataSize size) {
        return size == null ? null : size.toBytes();
    }
}
