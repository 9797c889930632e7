// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.List;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.RequiresDistributionAndOrdering;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;

/**
 * A checked write, and the wishes for the order of its rows.
 *
 * @param overwrite whether a batch first removes the keys of earlier jobs
 */
record JobWrite(JobPlan plan, boolean overwrite) implements RequiresDistributionAndOrdering {

    @Override
    public String description() {
        return "millrace " + plan;
    }

    @Override
    public Distribution requiredDistribution() {
        List<String> columns = plan.keyColumnsToDistribute();
        return columns.isEmpty()
                ? Distributions.unspecified()
                : Distributions.clustered(columns.stream()
                        .map(column -> (Expression) Expressions.column(quoted(column)))
                        .toArray(Expression[]::new));
    }

    @Override
    public SortOrder[] requiredOrdering() {
        return plan.orderBy()
                .map(column ->
                        new SortOrder[] {Expressions.sort(Expressions.column(quoted(column)), SortDirection.ASCENDING)})
                .orElseGet(() -> new SortOrder[0]);
    }

    /** The name as an identifier of SQL, because a name may contain a dot. */
    private static String quoted(String column) {
        return "`" + column.replace("`", "``") + "`";
    }

    @Override
    public BatchWrite toBatch() {
        if (overwrite && plan.options().keyPrefix().isEmpty()) {
            throw new SparkLoadException(
                    "an overwrite removes the keys that begin with the text before the first column"
                            + " of the key, and this text is empty: key="
                            + plan.options().key() + ". Begin the key with a text, such as user:{id}, or append.");
        }
        return new BatchJob(plan, overwrite);
    }

    @Override
    public StreamingWrite toStreaming() {
        if (overwrite) {
            throw new SparkLoadException("the output mode complete would have to remove all keys at each epoch, and is"
                    + " not supported. Use the output mode append or update.");
        }
        return new StreamingJob(plan, StreamingQueries.OF_THIS_JVM);
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return new CustomMetric[] {
            new RowsRead(), new RowsWritten(), new RowsRejected(), new Redirects(), new BytesSent()
        };
    }

    @Override
    public String toString() {
        return description();
    }
}
