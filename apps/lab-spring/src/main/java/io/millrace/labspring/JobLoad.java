// SPDX-License-Identifier: Apache-2.0
package io.millrace.labspring;

import io.millrace.lab.bulk.RowData;
import io.millrace.lab.bulk.RowSource;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.TableLoad;
import io.millrace.spring.LoadJobs;
import java.io.IOException;
import java.util.Map;

/** A load job of the starter, which runs before the application is ready. */
public record JobLoad(TableLoad load) implements Work {

    private static final String JOB = "customers";
    private static final String KEYS = "millrace.load.jobs." + JOB + ".";

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        Map<String, Object> properties = Map.of(
                KEYS + "table",
                RowSource.TABLE,
                KEYS + "key",
                RowData.KEYSPACE + ":{id}",
                KEYS + "as",
                load.isDocuments() ? "json" : "hash",
                Application.EXCLUDE,
                Application.DATA_REDIS);
        return LoadRounds.open(load, context, EmptyApplication.class, properties, JobLoad::written);
    }

    private static long written(Application application) {
        var run = application.bean(LoadJobs.class).last(JOB).orElseThrow();
        return run.report().rows().written();
    }
}
