// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;

/** The rows of a task. After Spark has killed the task, the next call throws the exception that Spark expects. */
record KillableRows(Iterator<InternalRow> rows, TaskContext task) implements Iterator<InternalRow> {

    @Override
    public boolean hasNext() {
        task.killTaskIfInterrupted();
        return rows.hasNext();
    }

    @Override
    public InternalRow next() {
        return rows.next();
    }
}
