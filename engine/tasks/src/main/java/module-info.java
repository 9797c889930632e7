// SPDX-License-Identifier: Apache-2.0

/** Task flows: producers, a bounded buffer, consumers. */
module io.millrace.tasks {
    requires jdk.jfr;
    requires static transitive org.jspecify;

    exports io.millrace.tasks;
}
