// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The media types of the answer of a route, the usual one first. A route whose answer has no body has none. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Forms {

    String TEXT = "text/plain;charset=UTF-8";
    String JSON = "application/json";
    String LINES = "application/x-ndjson";
    String EVENTS = "text/event-stream";
    String HTML = "text/html;charset=UTF-8";
    String YAML = "application/yaml";

    String[] value();
}
