// SPDX-License-Identifier: Apache-2.0
package io.millrace.labspring;

import io.millrace.lab.bulk.RowSource;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.TableLoad;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.logging.LoggingSystem;

/** Starts an application for each unit, which loads the table of a database and is closed again. */
final class LoadRounds implements ReadyWork {

    private final RowSource source;
    private final Target target;
    private final Class<?> configuration;
    private final Map<String, Object> properties;
    private final LoadedRows loaded;
    private double seconds;
    private int units;

    /** How an application tells the number of rows that its load has written. */
    @FunctionalInterface
    interface LoadedRows {
        long of(Application application);
    }

    private LoadRounds(
            RowSource source,
            Target target,
            Class<?> configuration,
            Map<String, Object> properties,
            LoadedRows loaded) {
        this.source = source;
        this.target = target;
        this.configuration = configuration;
        this.properties = properties;
        this.loaded = loaded;
    }

    /** Starts the database of {@code load}. */
    static ReadyWork open(
            TableLoad load, WorkContext context, Class<?> configuration, Map<String, Object> more, LoadedRows loaded)
            throws IOException {
        // Until an application configures the log, the database would write every step.
        LoggingSystem.get(LoadRounds.class.getClassLoader()).beforeInitialize();
        var source = RowSource.table(load.rows());
        source.prepare(context);
        Map<String, Object> properties = new HashMap<>(more);
        properties.put("spring.datasource.url", source.location(context));
        return new LoadRounds(source, context.target(), configuration, properties, loaded);
    }

    @Override
    public void prepare() {
        seconds = 0;
        units = 0;
    }

    @Override
    public long run() {
        try (var application = Application.start(configuration, target, properties)) {
            seconds += application.secondsOfRunners();
            units++;
            return loaded.of(application);
        }
    }

    @Override
    public RoundDetails details() {
        return RoundDetails.NONE.withFigure(TableLoad.SECONDS, seconds / units);
    }

    @Override
    public void close() throws IOException {
        source.release();
    }
}
