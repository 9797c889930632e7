// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import org.springframework.boot.diagnostics.FailureAnalyzedException;

/** Fails the start: a setting cannot be used. Spring Boot prints the description and the action. */
final class SettingException extends FailureAnalyzedException {

    private static final long serialVersionUID = 1L;

    SettingException(String description, String action) {
        super(description, action);
    }
}
