// SPDX-License-Identifier: Apache-2.0

/** Loads rows from databases and files into Redis. */
module io.millrace.load {
    requires transitive io.millrace.client;
    requires transitive java.sql;
    requires tools.jackson.core;
    requires static com.github.luben.zstd_jni;
    requires static transitive org.jspecify;

    exports io.millrace.load;
    exports io.millrace.load.source;
    exports io.millrace.load.target;
}
