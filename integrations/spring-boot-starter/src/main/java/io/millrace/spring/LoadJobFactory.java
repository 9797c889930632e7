// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import io.millrace.load.LoadPlan;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.scheduling.support.CronExpression;

/**
 * Creates the load jobs: one for each name below {@code millrace.load.jobs}, and one for each bean of type {@link LoadPlan}.
 * The keys of a job with the name of a bean are the trigger of this bean.
 */
final class LoadJobFactory {

    /** Range: 1 s to 7 days. Default: 1 h. */
    static final Setting<Duration> DEADLINE = new Setting<>(
            "deadline",
            Duration.ofSeconds(1),
            Duration.ofDays(7),
            Duration.ofHours(1),
            Unit.TIME,
            "Maximum time of a load job.");

    /** Range: zero, or 1 s to 365 days. Default: zero. Each instance then loads. */
    static final Setting<Duration> ONCE_PER = new Setting<>(
            "oncePer",
            Duration.ofSeconds(1),
            Duration.ofDays(365),
            Duration.ZERO,
            Unit.TIME_OR_ZERO,
            "Time during which the instances of a fleet load once.");

    /** A job of which no key is set. */
    static final JobProperties WITH_DEFAULTS =
            new Binder(new MapConfigurationPropertySource()).bindOrCreate("job", JobProperties.class);

    private static final List<String> KEYS_OF_TRIGGER = List.of("when", "required", "deadline", "cron", "once-per");

    private final LoadProperties keys;
    private final ListableBeanFactory beanFactory;
    private final ResourceLoader resourceLoader;

    LoadJobFactory(LoadProperties keys, ListableBeanFactory beanFactory, ResourceLoader resourceLoader) {
        this.keys = keys;
        this.beanFactory = beanFactory;
        this.resourceLoader = resourceLoader;
    }

    /**
     * Returns the jobs, in the order of their names.
     *
     * @throws KeyException if a key of a job cannot be used
     */
    List<LoadJob> create() {
        Map<String, LoadPlan> plans = new TreeMap<>(beanFactory.getBeansOfType(LoadPlan.class));
        Map<String, LoadJob> jobs = new TreeMap<>();
        keys.jobs().forEach((name, job) -> jobs.put(name, job(name, job, plans.remove(name))));
        plans.forEach((name, plan) -> jobs.put(name, job(name, WITH_DEFAULTS, plan)));
        return new ArrayList<>(jobs.values());
    }

    private LoadJob job(String name, JobProperties job, @Nullable LoadPlan bean) {
        String prefix = LoadProperties.prefix(name);
        if (bean != null) {
            refuseKeysOfPlan(name, job, prefix);
        }
        SettingKeys settings = new SettingKeys(prefix);
        Duration oncePer = settings.valueOf("once-per", job.oncePer(), ONCE_PER);
        if (bean != null && !oncePer.isZero()) {
            PlanText.requireStable(bean, prefix + ".once-per");
        }
        return new LoadJob(
                name,
                bean == null ? plan(name, job, prefix) : bean,
                digest(bean == null ? job.planText() : PlanText.of(bean)),
                job.trigger(),
                job.required(),
                settings.valueOf("deadline", job.deadline(), DEADLINE),
                Optional.ofNullable(job.cron()).map(cron -> cron(cron, prefix)),
                oncePer);
    }

    private static void refuseKeysOfPlan(String name, JobProperties job, String prefix) {
        List<String> set = ChangedKeys.of(job, WITH_DEFAULTS, prefix + ".");
        set.removeAll(KEYS_OF_TRIGGER.stream().map(key -> prefix + "." + key).toList());
        if (!set.isEmpty()) {
            throw new KeyException(
                    "the job has two sources: the bean " + name + " of type LoadPlan, and " + String.join(", ", set),
                    "Keep the keys " + String.join(", ", KEYS_OF_TRIGGER)
                            + ", and remove the others; or rename the bean.");
        }
    }

    private LoadPlan plan(String name, JobProperties job, String prefix) {
        return new LoadPlan(
                new JobSourceFactory(job, prefix, beanFactory, resourceLoader).create(),
                new JobTargetFactory(job, prefix).create(),
                new JobOptionsFactory(job, name).create());
    }

    private static CronExpression cron(String text, String prefix) {
        try {
            return CronExpression.parse(text);
        } catch (IllegalArgumentException malformed) {
            throw new KeyException(
                    prefix + ".cron=" + text + " is not a cron expression: " + malformed.getMessage(),
                    "Write six fields: second, minute, hour, day of month, month, day of week.",
                    malformed);
        }
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256, although every JVM must provide it", e);
        }
    }
}
