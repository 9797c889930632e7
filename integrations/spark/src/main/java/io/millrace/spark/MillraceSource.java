// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The format {@code millrace}: writes the rows of a DataFrame into Redis. Spark finds this class by the short name of the
 * format. This class is compiled for Java 17, so that a user of Java 17 gets a message.
 */
public final class MillraceSource implements TableProvider, DataSourceRegister {

    private static final int JAVA_TO_RUN = 21;

    /** Called by Spark. */
    public MillraceSource() {}

    @Override
    public String shortName() {
        return "millrace";
    }

    /** A table without columns, into which a write may write all columns. */
    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return new StructType();
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        checkJava(Runtime.version().feature());
        return new WriteTable(schema, properties);
    }

    /** Refuses a Java version without the features that the other classes need. */
    static void checkJava(int java) {
        if (java < JAVA_TO_RUN) {
            throw new UnsupportedOperationException("The format millrace needs Java " + JAVA_TO_RUN
                    + " or later, and Spark runs on Java " + java + ". Start the driver and the executors with Java "
                    + JAVA_TO_RUN + ".");
        }
    }

    /** SQL may name the columns of a table: {@code CREATE TABLE … USING millrace}. */
    @Override
    public boolean supportsExternalMetadata() {
        return true;
    }
}
