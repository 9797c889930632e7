// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

/** When a load job runs at the start of the application. */
public enum LoadTrigger {
    /**
     * While the application starts, after the port is open. The application is live, and becomes ready when the job has
     * ended.
     */
    BEFORE_READY,
    /** While the application starts, before the web server opens its port. */
    BEFORE_PORT,
    /** Beside the application: the start does not wait for the end of the job. */
    BACKGROUND,
    /** Not at start, but by {@code cron}, by {@link LoadJobs#start}, or by the endpoint {@code millraceloads}. */
    MANUAL
}
