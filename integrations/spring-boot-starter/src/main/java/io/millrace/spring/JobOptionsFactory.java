// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.BulkOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.Verification;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Creates the options of a load from the keys of a job. */
final class JobOptionsFactory {

    private static final Pattern PERCENTAGE = Pattern.compile("(?:sample:)?(\\d{1,3}(?:\\.\\d{1,6})?)%");

    private final JobProperties keys;
    private final String prefix;

    JobOptionsFactory(JobProperties keys, String prefix) {
        this.keys = keys;
        this.prefix = prefix;
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
        path("rejects", keys.rejects(), options::rejects);
        path("differences", keys.differences(), options::differences);
        if (keys.dryRun()) {
            options.dryRun();
        }
        if (!keys.fusion()) {
            options.withoutFusion();
        }
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

    private void path(String key, @Nullable String text, Consumer<Path> option) {
        if (text != null) {
            try {
                option.accept(Path.of(text));
            } catch (InvalidPathException invalid) {
                throw new KeyException(
                        prefix + "." + key + "=" + text + " is not a path", "Correct the path.", invalid);
            }
        }
    }

    private static @Nullable Long bytes(@Nullable DataSize size) {
        return size == null ? null : size.toBytes();
    }
}
