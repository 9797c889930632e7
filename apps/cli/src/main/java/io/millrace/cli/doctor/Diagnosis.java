// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import java.util.List;
import java.util.Optional;

/**
 * The result of an examination.
 *
 * @param server name, version, mode and role of the server
 * @param roundTrip the measured round trip
 * @param sample the measured sample; empty if there was none, or if the measurement failed
 * @param findings the facts that matter for a load
 */
public record Diagnosis(String server, RoundTrip roundTrip, Optional<Sample> sample, List<Finding> findings) {

    public Diagnosis {
        findings = List.copyOf(findings);
    }

    /** Whether a finding is a problem. */
    public boolean hasProblem() {
        return findings.stream().anyMatch(finding -> finding.level() == Finding.Level.PROBLEM);
    }
}
