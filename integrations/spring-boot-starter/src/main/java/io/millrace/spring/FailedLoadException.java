// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadReport;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.boot.diagnostics.FailureAnalyzedException;

/**
 * Fails the start of the application: a required load job did not complete. The process ends with the exit code of the
 * command line.
 */
public final class FailedLoadException extends FailureAnalyzedException implements ExitCodeGenerator {

    private static final long serialVersionUID = 1L;

    /** The option that a message about a column names, such as {@code , key=customer:{id}}. */
    private static final Pattern OPTION = Pattern.compile(", (key|value|field|fields|exclude|score|offset|ttlField)=");

    /** Transient, because a report is not serializable. */
    private final transient LoadRun run;

    FailedLoadException(LoadRun run) {
        super(description(run), action(run));
        this.run = run;
        run.failure().ifPresent(this::initCause);
    }

    /** The run that did not complete. */
    public LoadRun run() {
        return run;
    }

    @Override
    public int getExitCode() {
        return run.code().number();
    }

    /** One sentence with the name of the key, or of the keys of the job, and the reason. */
    private static String description(LoadRun run) {
        String reason = reason(run);
        String keys = LoadProperties.prefix(run.job());
        Matcher option = OPTION.matcher(reason);
        String key = option.find() ? keys + "." + hyphenated(option.group(1)) : keys + ".*";
        return "The load job " + run.job() + " (" + key + ") did not complete: " + reason
                + (reason.endsWith(".") ? "" : ".");
    }

    /** Why the run did not complete. */
    static String reason(LoadRun run) {
        LoadReport report = run.report();
        return switch (run.code()) {
            case UNCONFIRMED -> report.unconfirmedReason().orElse("rows are unconfirmed") + " " + report.summary();
            case MISMATCHED ->
                "the verification found differences: "
                        + report.verified()
                                .map(verified ->
                                        "checked=" + verified.checked() + ", mismatched=" + verified.mismatched())
                                .orElse("");
            case INTERRUPTED -> "it was stopped: " + report.summary();
            case OK, INTERNAL, USAGE, REJECTED, STOPPED, UNREACHABLE ->
                report.ending().reason().orElseGet(report::summary)
                        + (report.rows().read() == 0 ? "" : " (" + report.summary() + ")");
        };
    }

    private static String action(LoadRun run) {
        return "Correct the cause, and start the application again. With " + LoadProperties.prefix(run.job())
                + ".required=false the application starts without this job.";
    }

    private static String hyphenated(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
